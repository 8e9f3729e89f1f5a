import { CancelledFailure } from '@temporalio/common';
import { workflowInfo } from '@temporalio/workflow';
import { acquire, type Return } from './acquire.js';
import {
  describeError,
  failureWith,
  malformation,
  type Job,
  type JobFailureDetails,
  type JobResult,
  type Kind,
} from './contract/index.js';
import { endingOf, type Ending } from './ending.js';
import { Run } from './run.js';
import { render } from './session.js';

/**
 * The life of every job, whatever its kind: attempts that each acquire capacity, open a session, capture and close,
 * until one commits the job's result, or an ending that another attempt would not change.
 */
export async function runJob<K extends Kind>(job: Job<K>): Promise<JobResult<K>> {
  refuseMalformed(job);
  const run = new Run(job);
  try {
    const result = await attempts(run);
    await run.finish('succeeded');
    return result as JobResult<K>;
  } catch (error) {
    const ending = endingOf(error);
    if (ending.code === 'cancelled') {
      await run.finish('cancelled', ending);
      throw new CancelledFailure(ending.message);
    }
    await run.finish('failed', ending);
    throw failureWith(ending, failureDetails(run, ending));
  }
}

function refuseMalformed(job: unknown): void {
  const wrong = malformation(job, workflowInfo().workflowType);
  if (wrong !== undefined) throw failureWith(describeError('invalid_input', wrong));
}

async function attempts(run: Run): Promise<JobResult> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await oneAttempt(run, attempt);
    } catch (error) {
      const ending = endingOf(error);
      if (!ending.retryable || attempt >= run.bounds.attempts) throw error;
    }
  }
}

async function oneAttempt(run: Run, attempt: number): Promise<JobResult> {
  let back: Return = {};
  for (;;) {
    const acquired = await acquire(run, attempt, back);
    if (acquired.state === 'done') return run.committed(acquired.result);
    const rendered = await render(run, acquired.grant);
    if (rendered.state === 'committed') return rendered.result;
    back = rendered.back;
  }
}

function failureDetails(run: Run, { code, evidence }: Ending): JobFailureDetails {
  const { attempt } = run.log.snapshot();
  return { code, attempts: attempt, timings: run.timings(), ...(evidence && { evidence }) };
}
