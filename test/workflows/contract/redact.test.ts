import { expect, test } from 'vitest';
import { redact } from '../../../workflows/contract/index.js';

test.each([
  ['ws://node:4444/chromium?token=s3cret refused', 's3cret'],
  ['GET https://site.example/a?session=s3cret#x failed', 's3cret'],
  ['postgres://user:s3cret@db:5432/x', 's3cret'],
  ['Authorization: Bearer s3cret', 's3cret'],
  ['{"authorization":"s3cret","a":1}', 's3cret'],
  ['Cookie: sid=s3cret; b=2', 's3cret'],
  ['x-api-key=s3cret', 's3cret'],
  ['failed\nCall log:\n  - <ws connecting> ws://node/?token=s3cret', 's3cret'],
])('no secret is left of %j', (text, secret) => {
  expect(redact(text)).not.toContain(secret);
});

test('what tells the reader something stays', () => {
  expect(redact('page.goto: net::ERR_NAME_NOT_RESOLVED at https://site.example/path?q=1')).toBe(
    'page.goto: net::ERR_NAME_NOT_RESOLVED at https://site.example/path?[redacted]',
  );
});

test('what is redacted already stays as it is', () => {
  const once = redact('GET https://site.example/a?session=s3cret failed; Authorization: Bearer s3cret');
  expect(redact(once)).toBe(once);
});

test('long text is cut', () => {
  expect(redact('a'.repeat(5_000))).toHaveLength(2_000);
});
