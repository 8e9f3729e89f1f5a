import { expect, test } from 'vitest';
import { rise } from './trend.js';

test('the rise is that of the line, whatever the values do around it', () => {
  expect(rise([5, 5, 5, 5])).toBe(0);
  expect(rise([1, 2, 3, 4])).toBeCloseTo(3);
  const saw = Array.from({ length: 900 }, (_, index) => 100 + index * 0.02 + (index % 10) * 3);
  expect(rise(saw)).toBeCloseTo(18, 0);
});

test('one value, or none, does not rise', () => {
  expect([rise([]), rise([7])]).toEqual([0, 0]);
});
