import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StepClock } from '../../../activities/capture/index.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('each step has the time until the next one, and the last one until now', () => {
  const clock = new StepClock();
  vi.advanceTimersByTime(500);
  clock.enter('navigating');
  vi.advanceTimersByTime(40);
  clock.enter('settling');
  vi.advanceTimersByTime(30);
  expect(clock.times()).toEqual([
    { step: 'navigating', ms: 40 },
    { step: 'settling', ms: 30 },
  ]);
});

test('a step that is entered again adds to what it had, and is the last one', () => {
  const clock = new StepClock();
  for (const step of ['navigating', 'capturing', 'navigating'] as const) {
    clock.enter(step);
    vi.advanceTimersByTime(10);
  }
  expect(clock.times()).toEqual([
    { step: 'capturing', ms: 10 },
    { step: 'navigating', ms: 20 },
  ]);
});

test('a capture that has not begun has no step', () => {
  expect(new StepClock().times()).toEqual([]);
});
