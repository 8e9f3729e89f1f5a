import { expect, test, vi } from 'vitest';
import { Deadline } from '../../activities/deadline.js';

const never = (): Promise<never> => new Promise(() => undefined);

test('work that is done in time gives its outcome, and no timer is left', async () => {
  vi.useFakeTimers();
  try {
    const deadline = Deadline.after(1_000, 'attempt_timeout');
    await expect(deadline.race(Promise.resolve(1))).resolves.toBe(1);
    deadline.stop();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test('work that is late fails with the deadline’s code', async () => {
  vi.useFakeTimers();
  try {
    const late = expect(Deadline.after(1_000, 'connect_timeout').race(never())).rejects.toMatchObject({
      code: 'connect_timeout',
    });
    await vi.advanceTimersByTimeAsync(1_000);
    await late;
  } finally {
    vi.useRealTimers();
  }
});

test('an inner bound ends with its own code, the outer one with the outer code', async () => {
  const outer = new AbortController();
  const deadline = Deadline.after(60_000, 'attempt_timeout', outer.signal);
  const inner = deadline.within(60_000, 'connect_timeout');
  const work = inner.race(never());
  outer.abort(new Error('cancelled by the caller'));
  await expect(work).rejects.toThrow('cancelled by the caller');
});

test('a deadline that is over fails work at once', async () => {
  const over = new AbortController();
  over.abort(new Error('over'));
  await expect(Deadline.after(1_000, 'attempt_timeout', over.signal).race(never())).rejects.toThrow('over');
});

test('a step that may be cut short gives nothing when it is, and its failure when it fails', async () => {
  const deadline = Deadline.after(60_000, 'attempt_timeout');
  await expect(deadline.attempt(1, never)).resolves.toBeUndefined();
  await expect(deadline.attempt(1_000, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  await expect(deadline.attempt(1_000, () => Promise.resolve('done'))).resolves.toBe('done');
  deadline.stop();
});

test('a joined deadline ends for either reason', async () => {
  const other = new AbortController();
  const deadline = Deadline.after(60_000, 'attempt_timeout');
  const work = deadline.joined(other.signal).race(never());
  other.abort(new Error('session ended'));
  await expect(work).rejects.toThrow('session ended');
  deadline.stop();
});
