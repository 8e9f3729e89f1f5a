import { expect, test } from 'vitest';
import { TimelineLog } from '../../workflows/timeline-log.js';
import { timelineRows } from '../../workflows/contract/index.js';

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
  log.queued({ position: 3, nextAttemptAt: 2_500, queueDeadlineAt: 9_000 });
  expect(log.snapshot()).toMatchObject({
    state: 'pending',
    attempt: 2,
    position: 3,
    nextAttemptAt: 2_500,
    queueDeadlineAt: 9_000,
  });
  log.begin('connecting', 2_600, { ...where, attempt: 2 });
  expect(log.snapshot()).toMatchObject({ state: 'running' });
  for (const place of ['position', 'nextAttemptAt', 'queueDeadlineAt']) {
    expect(log.snapshot()).not.toHaveProperty(place);
  }
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

test('a failed job keeps its code and why it failed', () => {
  const log = recorded();
  log.finish('failed', 2_500, { code: 'http_error', message: 'Status 503.' });
  expect(log.snapshot()).toMatchObject({ state: 'failed', errorCode: 'http_error', errorMessage: 'Status 503.' });
});

test('a row for each span tells its start from the job’s start, how long it took, where it was and how it ended', () => {
  expect(timelineRows(recorded().snapshot())).toEqual([
    ['1', 'queued', '+0', '200', '', '', ''],
    ['1', 'connecting', '+200', '50', 'n', 'w', ''],
    ['1', 'capturing', '+250', '650', 'n', 'w', 'connection_lost'],
    ['1', 'closing', '+900', '100', 'n', 'w', ''],
    ['2', 'queued', '+1000', '…', '', '', ''],
  ]);
});

test('a capture that answered has a row for each step of it, under its own', () => {
  const log = new TimelineLog(1_000);
  log.begin('capturing', 1_100, where);
  const steps = [
    { step: 'navigating' as const, ms: 40 },
    { step: 'settling' as const, ms: 30 },
  ];
  log.end(1_200, 'page_crashed', steps);
  expect(log.snapshot().spans).toEqual([
    { phase: 'capturing', ...where, startedAt: 1_100, endedAt: 1_200, outcome: 'page_crashed', steps },
  ]);
  expect(timelineRows(log.snapshot())).toEqual([
    ['1', 'capturing', '+100', '100', 'n', 'w', 'page_crashed'],
    ['', '· navigating', '', '40', '', '', ''],
    ['', '· settling', '', '30', '', '', ''],
  ]);
});
