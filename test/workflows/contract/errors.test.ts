import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ERROR_CODES, ERRORS } from '../../../workflows/contract/index.js';

/** Without the padding of its tables. */
const page = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8').replaceAll(/ {2,}/g, ' ');
const sections = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section]),
);

test('docs/errors.md describes every code and no other', () => {
  expect([...sections.keys()].sort()).toEqual([...ERROR_CODES].sort());
});

test.each(ERROR_CODES)('docs/errors.md says of %s what the table says', (code) => {
  const { message, layer, retryable, http, actor } = ERRORS[code];
  const section = sections.get(code);
  expect(section).toContain(message);
  expect(section).toContain(`| ${layer} | ${retryable ? 'yes' : 'no'} | ${String(http)} | ${actor} |`);
});
