import { expect, test } from 'vitest';
import { describeTimeline } from '../../workflows/details.js';
import { TimelineLog } from '../../workflows/timeline-log.js';
import type { Job } from '../../workflows/contract/index.js';

const where = { attempt: 1, node: 'n', worker: 'w' };

function recorded(): TimelineLog {
  const log = new TimelineLog(1_000);
  log.begin('queued', 1_000, { attempt: 1 });
  log.begin('connecting', 1_200, where);
  log.begin('capturing', 1_250, where);
  log.end(1_900, 'connection_lost');
  log.begin('closing', 1_900, where);
  log.begin('queued', 2_000, { attempt: 2 });
  return log;
}

test('a phase ends where the next one begins, and keeps how it ended', () => {
  const { spans } = recorded().snapshot();
  expect(spans.map(({ phase, startedAt, endedAt, outcome }) => [phase, startedAt, endedAt, outcome])).toEqual([
    ['queued', 1_000, 1_200, undefined],
    ['connecting', 1_200, 1_250, undefined],
    ['capturing', 1_250, 1_900, 'connection_lost'],
    ['closing', 1_900, 2_000, undefined],
    ['queued', 2_000, undefined, undefined],
  ]);
});

test('a job is pending between two attempts, with its place in the queue', () => {
  const log = recorded();
  log.queued(3, 2_500);
  expect(log.snapshot()).toMatchObject({ state: 'pending', attempt: 2, position: 3, nextAttemptAt: 2_500 });
  log.begin('connecting', 2_600, { ...where, attempt: 2 });
  expect(log.snapshot()).toMatchObject({ state: 'running' });
  expect(log.snapshot()).not.toHaveProperty('position');
});

test('queued time is of all attempts, the rest of the last one', () => {
  const log = recorded();
  log.begin('connecting', 2_400, { ...where, attempt: 2 });
  log.begin('capturing', 2_430, { ...where, attempt: 2 });
  log.finish('succeeded', 3_000);
  expect(log.timings(3_000)).toEqual({
    queuedMs: 600,
    connectedMs: 30,
    capturedMs: 570,
    totalMs: 2_000,
  });
});

test('the details say first what an operator needs', () => {
  const job = {
    kind: 'page_screenshot',
    class: 'interactive',
    workspace: 'acme',
    input: { target: { base: 'pages', path: '/a' } },
  } as Job;
  const log = recorded();
  log.queued(3);
  expect(describeTimeline(job, log.snapshot()).split('\n')[0]).toBe(
    '**pending**: waits for capacity, position 3 (attempt 2)',
  );
  log.begin('capturing', 2_400, { ...where, attempt: 2 });
  expect(describeTimeline(job, log.snapshot()).split('\n')[0]).toBe('**running**: capturing on `n` (attempt 2)');
  log.finish('failed', 2_500, 'http_error');
  expect(describeTimeline(job, log.snapshot()).split('\n')[0]).toContain('layer *target*: `http_error`');
});
