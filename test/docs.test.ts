import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const page = readFileSync(new URL('../docs/failure-model.md', import.meta.url), 'utf8');

/** Each line of a table: its fault, and `file: part of the test's name`, the file as seen from `test/e2e`. */
const faults = page.split('\n').flatMap((line) => {
  const cells = line.split('|').map((cell) => cell.trim());
  const [, fault = '', , , , test = ''] = cells;
  return cells.length < 7 || fault === 'fault' || fault.startsWith('--') ? [] : [[fault, test] as const];
});

test('docs/failure-model.md has a line for each kind of fault', () => {
  expect(faults.length).toBeGreaterThan(40);
});

test.each(faults)('docs/failure-model.md names a test that is there: %s', (_, named) => {
  const [file = '', name = ''] = named.split(/: (.*)/s);
  const source = new URL(`e2e/${file}.test.ts`, import.meta.url);
  expect(existsSync(source)).toBe(true);
  expect(name).not.toBe('');
  expect(readFileSync(source, 'utf8')).toContain(name);
});
