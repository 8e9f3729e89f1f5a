import { expect, test } from 'vitest';
import { Fence } from '../../../infra/browser-node/fence.js';

function fenceAt(clock: { now: number }): Fence {
  return new Fence(1_000, () => clock.now);
}

test('a barred id stays barred for the remembered time and not longer', () => {
  const clock = { now: 0 };
  const fence = fenceAt(clock);
  fence.bar('a');
  clock.now = 999;
  expect(fence.isBarred('a')).toBe(true);
  clock.now = 1_000;
  expect(fence.isBarred('a')).toBe(false);
});

test('barring again extends the time', () => {
  const clock = { now: 0 };
  const fence = fenceAt(clock);
  fence.bar('a');
  fence.bar('b');
  clock.now = 900;
  fence.bar('a');
  clock.now = 1_500;
  expect([fence.isBarred('a'), fence.isBarred('b')]).toEqual([true, false]);
});

test('a full fence refuses to confirm instead of forgetting an id', () => {
  const clock = { now: 0 };
  const fence = fenceAt(clock);
  for (let n = 0; n < 100_000; n += 1) fence.bar(`id-${n}`);
  expect(() => fence.bar('one-more')).toThrow(expect.objectContaining({ code: 'fence_full' }));
  expect(fence.isBarred('id-0')).toBe(true);
  clock.now = 1_000;
  fence.bar('one-more');
  expect(fence.isBarred('one-more')).toBe(true);
});
