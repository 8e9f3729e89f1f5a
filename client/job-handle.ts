import {
  ServiceError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type Client,
  type WorkflowHandle,
} from '@temporalio/client';
import {
  outcomeOverResets,
  QUERIES,
  runsOf,
  successOf,
  UPDATES,
  type Consumption,
  type Expectation,
  type JobResult,
  type Kind,
  type Outcome,
  type Timeline,
} from '../workflows/contract/index.js';
import { abortable, type Abortable } from './abort.js';
import { consume } from './consume.js';

export interface JobHandle<K extends Kind = Kind> {
  /** Also its workflow id. */
  readonly id: string;
  /**
   * Waits until the job has its result, or ended without one, over resets of its workflow. Its session may still be closing.
   * Fails only when Temporal cannot be asked, or with the signal's reason.
   */
  wait(options?: Abortable): Promise<Outcome<K>>;
  /** Ends the job for all who share its key. No effect on one that has ended. */
  cancel(): Promise<void>;
  /**
   * Takes the result over, if it is of what the caller expects; see `Consumption`. Recheck your own fence first: consuming is
   * no business write. Fails only when nobody answers within a minute.
   */
  consume(expectation: Expectation, options?: Abortable): Promise<Consumption<K>>;
  timeline(options?: Abortable): Promise<Timeline>;
}

export function createJobHandle<K extends Kind>(client: Client, id: string): JobHandle<K> {
  const handle = client.workflow.getHandle(id);
  return {
    id,
    wait: (options = {}) =>
      abortable(
        client,
        options,
        async () =>
          (await committed<K>(handle, options)) ??
          (await outcomeOverResets(runsOf<K>(id, client.workflow, isRunFailure))),
      ),
    async cancel() {
      try {
        await handle.cancel();
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      }
    },
    consume: (expectation, options = {}) => abortable(client, options, () => consume<K>(client, id, expectation)),
    timeline: (options = {}) => abortable(client, options, () => handle.query<Timeline>(QUERIES.timeline)),
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
async function committed<K extends Kind>(
  handle: WorkflowHandle,
  { signal }: Abortable,
): Promise<Outcome<K> | undefined> {
  try {
    const result = await handle.executeUpdate<JobResult<K> | null, []>(UPDATES.result, { updateId: UPDATES.result });
    return result === null ? undefined : successOf(result);
  } catch (error) {
    signal?.throwIfAborted();
    if (SHORT_CUT_CLOSED.some((closed) => error instanceof closed)) return undefined;
    throw error;
  }
}

function isRunFailure(error: unknown): error is WorkflowFailedError {
  return error instanceof WorkflowFailedError;
}
