import { ApplicationFailure } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import { WorkflowFailedError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import {
  isConflict,
  outcomeOverResets,
  runsOf,
  type Outcome,
  type ParentActivities,
} from '../../workflows/contract/index.js';
import { Deadline } from '../deadline.js';
import { JobFailure } from '../failure.js';

/** Longer than any job: its own bounds end it. Temporal's time-out of the activity comes first. */
const LONGEST_WAIT_MS = 7_200_000;
/** Those who find no room wait at Temporal, and ask again. */
const NO_ROOM_MS = 2_000;

/** `atOnce` of these may wait; what has no room fails retryably, so that waiting never keeps a capacity call from its slot. */
export function createAttachJob(temporal: Client, atOnce: number): ParentActivities['attachJob'] {
  let waiting = 0;
  return async ({ id, inputDigest }) => {
    if (waiting >= atOnce) throw noRoom();
    waiting += 1;
    const context = Context.current();
    const deadline = Deadline.after(LONGEST_WAIT_MS, 'deadline_exceeded', context.cancellationSignal);
    try {
      // The SDK misses an abort between two requests, so the deadline ends the waiting, and the abort the request.
      return await deadline.race(temporal.withAbortSignal(deadline.signal, () => ended(temporal, id, inputDigest)));
    } catch (error) {
      if (context.cancellationSignal.aborted) return await context.cancelled;
      if (error instanceof WorkflowNotFoundError) throw new JobFailure('result_expired');
      throw error;
    } finally {
      deadline.stop();
      waiting -= 1;
    }
  };
}

async function ended(temporal: Client, id: string, inputDigest: string): Promise<Outcome> {
  const { memo } = await temporal.workflow.getHandle(id).describe();
  if (isConflict(memo, inputDigest)) throw new JobFailure('idempotency_conflict');
  return await outcomeOverResets(runsOf(id, temporal.workflow, isRunFailure));
}

function isRunFailure(error: unknown): error is WorkflowFailedError {
  return error instanceof WorkflowFailedError;
}

function noRoom(): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'no_room',
    message: 'Too many parents wait in this process.',
    nextRetryDelay: NO_ROOM_MS,
  });
}
