import {
  failureWith,
  type JobError,
  type Kind,
  type RequestOf,
  type Results,
  type Submission,
} from '../contract/index.js';
import { startJob, tryStartJob } from './job.js';
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
  if (outcome.status !== 'succeeded') throw failureWith(outcome.error);
  return outcome.result;
}

/**
 * For a kind that judges a page: when infrastructure is at fault, there is no judgement, which is a warning and no failure.
 * Everything else fails with an `ApplicationFailure` whose type is the job's error code.
 */
export async function diagnose<K extends Kind>(kind: K, submission: Submission<RequestOf<K>>): Promise<Diagnosis<K>> {
  const job = await tryStartJob(kind, submission);
  const outcome = 'error' in job ? job : await job.wait();
  if (outcome.status === 'succeeded') return { status: 'diagnosed', result: outcome.result };
  if (isUnavailable(outcome.error)) return { status: 'unavailable', warning: outcome.error };
  throw failureWith(outcome.error);
}
