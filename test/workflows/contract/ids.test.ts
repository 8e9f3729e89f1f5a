import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalInput, type Job } from '../../../workflows/contract/index.js';
import { componentDiagnosticsInput, pageScreenshotInput } from '../../../workflows/contract/schema/index.js';

const canonical = (input: object): string => canonicalInput({ target: {}, ...input } as Job['input']);

test('the order of keys does not change the canonical input', () => {
  expect(canonical({ b: { d: 1, c: [2, { f: 1, e: 2 }] }, a: 1 })).toBe(
    canonical({ a: 1, b: { c: [2, { e: 2, f: 1 }], d: 1 } }),
  );
});

test('any two shuffles of one object have one canonical form', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
      const shuffled = Object.fromEntries(Object.entries(object).reverse());
      expect(canonical(shuffled)).toBe(canonical(object));
    }),
  );
});

test('an artifact that was prepared anew is the same input, another version is not', () => {
  const of = (version: string, expiresAt: string): string =>
    canonical({ target: { base: 'b', path: '/', artifact: { id: 'a', version, expiresAt } } });
  expect(of('1', '2030-01-01T00:00:00Z')).toBe(of('1', '2031-01-01T00:00:00Z'));
  expect(of('1', '2030-01-01T00:00:00Z')).not.toBe(of('2', '2030-01-01T00:00:00Z'));
});

test('props of a component are all part of its input, whatever their names', () => {
  const of = (expiresAt: string): string =>
    canonical(
      componentDiagnosticsInput.parse({
        target: { base: 'b', path: '/' },
        profile: { scenarios: [{ id: 'a', props: { auth: expiresAt, expiresAt } }] },
      }),
    );
  expect(of('1')).not.toBe(of('2'));
});

test('defaults that are written out are the same input as defaults that are left out', () => {
  const short = pageScreenshotInput.parse({ target: { base: 'b', path: '/' } });
  const long = pageScreenshotInput.parse({
    image: { format: 'png', transparent: false },
    area: { type: 'viewport' },
    target: { path: '/', base: 'b' },
    page: { viewport: { width: 1_280 } },
  });
  expect(canonical(long)).toBe(canonical(short));
});
