import { expect, test } from 'vitest';
import type { Job, StoredObject } from '../../workflows/contract/index.js';
import { describeRun } from '../../workflows/details.js';
import { TimelineLog } from '../../workflows/timeline-log.js';

const NOON = Date.UTC(2026, 0, 1, 12);
const where = { attempt: 1, node: 'node-1', worker: 'worker-1' };
const job = {
  kind: 'page_screenshot',
  class: 'interactive',
  workspace: 'acme',
  input: { target: { base: 'pages', path: '/a' } },
} as Job;

function waiting(): TimelineLog {
  const log = new TimelineLog(NOON);
  log.begin('queued', NOON, { attempt: 1 });
  return log;
}

function lines(log: TimelineLog, objects: Readonly<Record<string, StoredObject>> = {}): string[] {
  return describeRun(job, log.snapshot(), { attempts: 2, objects }).split('\n');
}

test('a job that waits says its position, until when, and what happens then', () => {
  const log = waiting();
  expect(lines(log)[0]).toBe('### Asking for capacity (attempt 1 of 2)');
  log.queued({ position: 3, queueDeadlineAt: NOON + 60_000 });
  expect(lines(log).slice(0, 3)).toEqual([
    '### Waiting for a browser: position 3 (attempt 1 of 2)',
    '',
    'Until 12:01:00 UTC at the latest, then it fails with `queue_timeout`.',
  ]);
});

test('a job that was refused says from when on it is granted again', () => {
  const log = waiting();
  log.queued({ position: 1, queueDeadlineAt: NOON + 60_000, nextAttemptAt: NOON + 2_000 });
  expect(lines(log)[3]).toBe('The node refused it for want of room: not granted again before 12:00:02 UTC.');
});

test('a job whose own session is in quarantine says what its deadline waits for', () => {
  const log = waiting();
  log.queued({ position: 1 });
  expect(lines(log)[2]).toContain('only then the queue deadline begins');
});

test('a job that runs says what it does, where and since when', () => {
  const log = waiting();
  log.begin('capturing', NOON + 1_000, where);
  expect(lines(log).slice(0, 3)).toEqual([
    '### Running: capturing (attempt 1 of 2)',
    '',
    'Since 12:00:01 UTC on node `node-1`, worker `worker-1`.',
  ]);
});

test('a failed job says why, in which layer, who has to act, and in which step it was', () => {
  const log = waiting();
  log.begin('capturing', NOON + 1_000, where);
  log.end(NOON + 2_000, 'http_error');
  log.begin('closing', NOON + 2_000, where);
  log.finish('failed', NOON + 2_100, { code: 'http_error', message: 'Check the target. Status 503.' });
  expect(lines(log).slice(0, 5)).toEqual([
    '### Failed: `http_error` in the layer *target*',
    '',
    'Check the target. Status 503.',
    'The caller has to act. More: `docs/errors.md#http_error`.',
    'After 1 attempt, 2100 ms: while capturing on node `node-1`, worker `worker-1`.',
  ]);
});

test('a job that failed in a capture names the step of it', () => {
  const log = waiting();
  log.begin('capturing', NOON + 1_000, where);
  log.end(NOON + 2_000, 'attempt_timeout', [
    { step: 'navigating', ms: 300 },
    { step: 'settling', ms: 700 },
  ]);
  log.finish('failed', NOON + 2_100, { code: 'attempt_timeout', message: 'Later.' });
  expect(lines(log)[4]).toContain('while settling on node');
});

test('a job that never ran says no place', () => {
  const log = waiting();
  log.finish('failed', NOON + 10, { code: 'queue_full', message: 'Later.' });
  expect(lines(log)[4]).toBe('After 1 attempt, 10 ms.');
});

test('a job that succeeded names its picture and who gives links to it, never a link that expires', () => {
  const log = waiting();
  log.finish('succeeded', NOON + 1_500);
  const picture = { key: 'abc/def/page.png', contentType: 'image/png', bytes: 2_000, sha256: 'x' };
  expect(lines(log, { object: picture }).slice(0, 5)).toEqual([
    '### Succeeded after 1 attempt, 1500 ms',
    '',
    '- object: `page.png`, 2 KiB',
    '',
    'Keys and links: `darkroom jobs show` with the id of this workflow.',
  ]);
  expect(lines(log, { object: picture }).join()).not.toContain('http');
});

test('a cancelled job says so, and every job what was asked and where its time went', () => {
  const log = waiting();
  log.finish('cancelled', NOON + 5, { code: 'cancelled', message: 'The job was cancelled.' });
  expect(lines(log)).toEqual([
    '### Cancelled after 1 attempt, 5 ms',
    '',
    '`page_screenshot` of `pages:/a` · interactive · workspace `acme`',
    '',
    '| attempt | step | start (ms) | took (ms) | node | worker | how it ended |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    '| 1 | queued | +0 | 5 |  |  |  |',
    '',
    '\u00a0',
  ]);
});
