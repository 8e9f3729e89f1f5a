import {
  ServiceError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type Client,
  type WorkflowHandle,
} from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, TerminatedFailure } from '@temporalio/common';
import {
  describeError,
  ERRORS,
  isErrorCode,
  QUERIES,
  UPDATES,
  type Evidence,
  type JobError,
  type JobFailureDetails,
  type JobResult,
  type Kind,
  type Timeline,
  type Timings,
} from '../workflows/contract/index.js';

/** How a job ended. `attempts` and `timings` are missing when it ended before it could tell them. */
export type Outcome<K extends Kind = Kind> =
  | ({ readonly status: 'succeeded' } & Pick<JobResult<K>, 'result' | 'attempts' | 'timings'>)
  | {
      readonly status: 'failed' | 'cancelled';
      readonly error: JobError;
      /** What was kept of the page that the last attempt failed on. */
      readonly evidence?: Evidence;
      readonly attempts?: number;
      readonly timings?: Timings;
    };

export interface JobHandle<K extends Kind = Kind> {
  /** Also its workflow id. */
  readonly id: string;
  /**
   * Waits until the job has its result, or ended without one, over resets of its workflow. Its session may still be closing.
   * Fails only when Temporal cannot be asked.
   */
  wait(): Promise<Outcome<K>>;
  /** Ends the job for all who share its key. No effect on one that has ended. */
  cancel(): Promise<void>;
  timeline(): Promise<Timeline>;
}

export function createJobHandle<K extends Kind>(client: Client, id: string): JobHandle<K> {
  const handle = client.workflow.getHandle(id);
  return {
    id,
    wait: async () => (await committed<K>(handle)) ?? (await ended<K>(client, id)),
    async cancel() {
      try {
        await handle.cancel();
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      }
    },
    timeline: () => handle.query<Timeline>(QUERIES.timeline),
  };
}

/**
 * The run has ended, or was reset or terminated meanwhile; or the server takes no update just now, because a workflow task
 * failed or timed out, or because it is away. The run's end tells all the same.
 */
const SHORT_CUT_CLOSED = [
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  ServiceError,
];

/** All who wait share one update, so the workflow answers once. */
async function committed<K extends Kind>(handle: WorkflowHandle): Promise<Outcome<K> | undefined> {
  try {
    const result = await handle.executeUpdate<JobResult<K> | null, []>(UPDATES.result, { updateId: UPDATES.result });
    return result === null ? undefined : succeeded(result);
  } catch (error) {
    if (SHORT_CUT_CLOSED.some((closed) => error instanceof closed)) return undefined;
    throw error;
  }
}

async function ended<K extends Kind>(client: Client, id: string): Promise<Outcome<K>> {
  const handle = client.workflow.getHandle(id);
  for (;;) {
    const { runId } = await handle.describe();
    try {
      return succeeded((await client.workflow.getHandle(id, runId).result()) as JobResult<K>);
    } catch (error) {
      if (!(error instanceof WorkflowFailedError)) throw error;
      // A reset terminates the run and starts another of the same job: that one has the answer.
      const wasReset = error.cause instanceof TerminatedFailure && (await handle.describe()).runId !== runId;
      if (!wasReset) return outcomeOf(error.cause);
    }
  }
}

function succeeded<K extends Kind>({ result, attempts, timings }: JobResult<K>): Outcome<K> {
  return { status: 'succeeded', result, attempts, timings };
}

function outcomeOf(cause: Error | undefined): Extract<Outcome, { status: 'failed' | 'cancelled' }> {
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
  return { status: 'failed', error: describeError('worker_lost', cause?.message) };
}
