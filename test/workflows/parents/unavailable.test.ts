import { expect, test } from 'vitest';
import { ERROR_CODES, ERRORS } from '../../../workflows/contract/index.js';
import { isUnavailable } from '../../../workflows/parents/unavailable.js';

test('what a page, its target, the job or the caller is at fault for is no missing infrastructure', () => {
  const unavailable = ERROR_CODES.filter((code) => isUnavailable(ERRORS[code]));
  expect(unavailable).toEqual(
    ERROR_CODES.filter((code) => !['caller', 'target', 'page', 'job'].includes(ERRORS[code].layer)),
  );
  expect(unavailable).toContain('queue_timeout');
  expect(unavailable).not.toContain('source_error');
});
