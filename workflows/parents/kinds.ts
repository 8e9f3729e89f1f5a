import { ApplicationFailure } from '@temporalio/common';
import {
  failureOf,
  isErrorCode,
  type Failure,
  type JobError,
  type Kind,
  type Outcome,
  type RequestOf,
  type Results,
  type Submission,
} from '../contract/index.js';
import { startJob } from './job.js';
import { isUnavailable } from './unavailable.js';

export type Diagnosis<K extends Kind> =
  | { readonly status: 'diagnosed'; readonly result: Results[K] }
  /** Darkroom could not look: nothing is known about the page, and nothing of the parent's need wait for it. */
  | { readonly status: 'unavailable'; readonly warning: JobError };

/** Fails with an `ApplicationFailure` whose type is the job's error code. */
export async function takeScreenshot(
  submission: Submission<RequestOf<'page_screenshot'>>,
): Promise<Results['page_screenshot']> {
  const job = await startJob('page_screenshot', submission);
  const outcome = await job.wait();
  if (outcome.status !== 'succeeded') throw failure(outcome);
  return outcome.result;
}

/**
 * For a kind that judges a page: when infrastructure is at fault, there is no judgement, which is a warning and no failure.
 * Everything else fails with an `ApplicationFailure` whose type is the job's error code.
 */
export async function diagnose<K extends Kind>(kind: K, submission: Submission<RequestOf<K>>): Promise<Diagnosis<K>> {
  const outcome = await outcomeOf(kind, submission);
  if (outcome.status === 'succeeded') return { status: 'diagnosed', result: outcome.result };
  if (isUnavailable(outcome.error)) return { status: 'unavailable', warning: outcome.error };
  throw failure(outcome);
}

/** A job that could not even be asked for is told like one that failed. */
async function outcomeOf<K extends Kind>(kind: K, submission: Submission<RequestOf<K>>): Promise<Outcome<K>> {
  try {
    return await (await startJob(kind, submission)).wait();
  } catch (error) {
    if (error instanceof ApplicationFailure && isErrorCode(error.type)) return failureOf(error);
    throw error;
  }
}

function failure({ error }: Failure): ApplicationFailure {
  return ApplicationFailure.create({ type: error.code, message: error.message, nonRetryable: true });
}
