import { ApplicationFailure, CancelledFailure, TerminatedFailure } from '@temporalio/common';
import { describeError, ERRORS, isErrorCode, type JobError } from './errors.js';
import type { Evidence } from './evidence.js';
import type { JobFailureDetails, JobResult, Timings } from './job.js';
import type { Kind } from './names.js';

/** How a job ended. `attempts` and `timings` are missing when it ended before it could tell them. */
export type Outcome<K extends Kind = Kind> = Success<K> | Failure;

export type Success<K extends Kind = Kind> = { readonly status: 'succeeded' } & Pick<
  JobResult<K>,
  'result' | 'attempts' | 'timings'
>;

export interface Failure {
  readonly status: 'failed' | 'cancelled';
  readonly error: JobError;
  /** What was kept of the page that the last attempt failed on. */
  readonly evidence?: Evidence;
  readonly attempts?: number;
  readonly timings?: Timings;
}

export function successOf<K extends Kind>({ result, attempts, timings }: JobResult<K>): Success<K> {
  return { status: 'succeeded', result, attempts, timings };
}

/** Ends a workflow, or an activity, with this error: its code is the failure's type. */
export function failureWith(
  { code, message }: Pick<JobError, 'code' | 'message'>,
  details?: JobFailureDetails,
): ApplicationFailure {
  return ApplicationFailure.create({
    type: code,
    message,
    nonRetryable: true,
    ...(details && { details: [details] }),
  });
}

/** `cause` is what Temporal says that a job's workflow failed with. */
export function failureOf(cause: unknown): Failure {
  if (cause instanceof CancelledFailure || cause instanceof TerminatedFailure) {
    return { status: 'cancelled', error: describeError('cancelled') };
  }
  if (cause instanceof ApplicationFailure && isErrorCode(cause.type)) {
    const { retryable, layer } = ERRORS[cause.type];
    const details = cause.details?.[0] as JobFailureDetails | undefined;
    return {
      status: 'failed',
      error: { code: cause.type, message: cause.message, retryable, layer },
      ...(details && { attempts: details.attempts, timings: details.timings }),
      ...(details?.evidence && { evidence: details.evidence }),
    };
  }
  return { status: 'failed', error: describeError('worker_lost', cause instanceof Error ? cause.message : undefined) };
}

/** A job's runs, as Temporal tells them. */
export interface JobRuns<K extends Kind = Kind> {
  /** Run id of the latest. */
  latest(): Promise<string>;
  /** Waits until the run has ended. */
  endOf(runId: string): Promise<{ readonly result: JobResult<K> } | { readonly failure: unknown }>;
}

/** What a workflow client knows of a run; the contract does not import one. */
export interface RunHandle {
  describe(): Promise<{ readonly runId: string }>;
  result(): Promise<unknown>;
}

/** A job's runs through a workflow client. `isRunFailure` tells the client's error for a run that ended without a result. */
export function runsOf<K extends Kind>(
  id: string,
  client: { getHandle(id: string, runId?: string): RunHandle },
  isRunFailure: (error: unknown) => error is Error,
): JobRuns<K> {
  return {
    latest: async () => (await client.getHandle(id).describe()).runId,
    endOf: async (runId) => {
      try {
        return { result: (await client.getHandle(id, runId).result()) as JobResult<K> };
      } catch (error) {
        if (isRunFailure(error)) return { failure: error.cause };
        throw error;
      }
    },
  };
}

/** A reset terminates the run and starts another of the same job: the last run has the answer. */
export async function outcomeOverResets<K extends Kind>(runs: JobRuns<K>): Promise<Outcome<K>> {
  for (;;) {
    const runId = await runs.latest();
    const end = await runs.endOf(runId);
    if ('result' in end) return successOf(end.result);
    const wasReset = end.failure instanceof TerminatedFailure && (await runs.latest()) !== runId;
    if (!wasReset) return failureOf(end.failure);
  }
}
