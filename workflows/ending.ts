import { ApplicationFailure } from '@temporalio/common';
import { ActivityFailure, CancellationScope, isCancellation, TimeoutFailure } from '@temporalio/workflow';
import { describeError, ERRORS, isErrorCode, type ErrorCode, type Evidence, type StepTime } from './contract/index.js';

/** Why an attempt ended without a result. Plain data: never told apart by `instanceof` across the workflow's boundary. */
export interface Ending {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly evidence?: Evidence | undefined;
  readonly steps?: readonly StepTime[] | undefined;
}

/** Thrown inside the workflow to end an attempt with a code that no activity gave. */
export class AttemptEnd extends Error {
  readonly ending: Ending;

  constructor(code: ErrorCode, detail?: string, told: Pick<Ending, 'evidence' | 'steps'> = {}) {
    super(describeError(code, detail).message);
    this.ending = { code, message: this.message, retryable: ERRORS[code].retryable, ...told };
  }
}

/**
 * The worker never started the activity: it is not there. Before `openSession` it has touched nothing; before `capture` its
 * session may live, so giving the grant back quarantines what was active.
 */
export function isWorkerMissing(error: unknown): boolean {
  return timeoutOf(error)?.timeoutType === 'SCHEDULE_TO_START';
}

/**
 * How an error ends the attempt. A cancel that meets a missed heartbeat arrives as a time-out, for which the SDK's
 * `isCancellation` is false: so the scope is asked too.
 */
export function endingOf(error: unknown): Ending {
  if (isCancellation(error) || CancellationScope.current().consideredCancelled) return ending('cancelled');
  if (error instanceof AttemptEnd) return error.ending;
  if (timeoutOf(error) !== undefined) return ending('worker_lost');
  // A defect in workflow code is no ending: it fails the workflow task, and the job goes on once the code is mended.
  if (!(error instanceof ActivityFailure)) throw error;
  const { cause } = error;
  if (cause instanceof ApplicationFailure && isErrorCode(cause.type)) {
    const { evidence, steps } = (cause.details?.[0] ?? {}) as Pick<Ending, 'evidence' | 'steps'>;
    return { code: cause.type, message: cause.message, retryable: ERRORS[cause.type].retryable, evidence, steps };
  }
  // A worker that fails in a way it has no code for (a lost database, a defect) is as good as lost: its log tells more.
  return ending('worker_lost', cause?.message);
}

function ending(code: ErrorCode, detail?: string): Ending {
  const { message, retryable } = describeError(code, detail);
  return { code, message, retryable };
}

function timeoutOf(error: unknown): TimeoutFailure | undefined {
  return error instanceof ActivityFailure && error.cause instanceof TimeoutFailure ? error.cause : undefined;
}
