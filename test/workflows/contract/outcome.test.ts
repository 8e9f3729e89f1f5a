import { ApplicationFailure, CancelledFailure, TerminatedFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import { failureOf, outcomeOverResets, type JobResult } from '../../../workflows/contract/index.js';

const result = { v: 1, kind: 'page_screenshot', attempts: 1, timings: {}, result: {} } as unknown as JobResult;
const terminated = new TerminatedFailure('reset');

test('the last run of a job that was reset has its outcome', async () => {
  const asked: string[] = [];
  const ids = ['first', 'second', 'second'];
  const outcome = await outcomeOverResets({
    latest: () => Promise.resolve(ids.shift() ?? 'none'),
    endOf: (runId) => {
      asked.push(runId);
      return Promise.resolve(runId === 'first' ? { failure: terminated } : { result });
    },
  });
  expect(outcome).toMatchObject({ status: 'succeeded', attempts: 1 });
  expect(asked).toEqual(['first', 'second']);
});

test('a job that was terminated and not reset is cancelled', async () => {
  const runs = { latest: () => Promise.resolve('only'), endOf: () => Promise.resolve({ failure: terminated }) };
  expect(await outcomeOverResets(runs)).toMatchObject({ status: 'cancelled', error: { code: 'cancelled' } });
});

test.each([
  ['its code', ApplicationFailure.create({ type: 'target_gone', message: 'gone' }), 'failed', 'target_gone'],
  ['cancelled', new CancelledFailure('cancelled'), 'cancelled', 'cancelled'],
  ['a lost worker, when it has no code', new Error('odd'), 'failed', 'worker_lost'],
])('a failure is told as %s', (_, cause, status, code) => {
  expect(failureOf(cause)).toMatchObject({ status, error: { code } });
});
