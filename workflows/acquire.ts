import { ActivityFailure, CancellationScope, condition, isCancellation, TimeoutFailure } from '@temporalio/workflow';
import type { CapacityState, CommittedResult, GiveBack, Grant } from './contract/index.js';
import { AttemptEnd } from './ending.js';
import { requestActivities, returnActivities } from './options.js';
import type { Run } from './run.js';

export type Acquired =
  | { readonly state: 'granted'; readonly grant: Grant }
  /** The job has its result already: of an earlier run, or of an attempt whose answer was lost. */
  | { readonly state: 'done'; readonly result: CommittedResult };

/** What the attempt comes with: nothing, a grant that it could not use, or the place that a refusal left it. */
export interface Return {
  readonly giveBack?: GiveBack;
  readonly place?: CapacityState;
  readonly notBefore?: number;
}

/**
 * Waits until the scheduler grants this attempt a node slot and a worker slot. Nothing polls: whoever frees capacity
 * signals `capacityGranted`; asking again every `recheckMs` only covers a signal that was lost, and lets a run that was
 * reset while it waited ask under its own ticket. Whatever way this ends but with a grant, the request is withdrawn.
 */
export async function acquire(run: Run, attempt: number, back: Return = {}): Promise<Acquired> {
  run.enter('queued', attempt);
  try {
    const acquired = await wait(run, attempt, back);
    run.leave();
    return acquired;
  } catch (error) {
    await CancellationScope.nonCancellable(() => withdraw(run, attempt, false));
    throw error;
  }
}

async function wait(run: Run, attempt: number, back: Return): Promise<Acquired> {
  let state = back.place ?? (await request(run, attempt, back.giveBack));
  for (;;) {
    if (state.state === 'granted') return { state: 'granted', grant: run.inbox.take(state.grant) };
    if (state.state === 'done') return state;
    if (state.state === 'refused') throw new AttemptEnd(state.code);
    if (state.state === 'withdrawn') throw timedOut(run);
    if (state.state === 'ended') {
      state = await request(run, attempt, { ...state.last, ticket: run.ticket(attempt), reason: 'stale' });
    } else {
      run.queued({ position: state.position, ...queueTimes(state.remainingMs, back.notBefore) });
      state = await inQueue(run, attempt, state.remainingMs);
    }
  }
}

/** `notBefore`: after a refusal, not before this time (milliseconds since the epoch) the job is granted again. */
function queueTimes(remainingMs: number | null, notBefore: number | undefined) {
  return {
    ...(notBefore !== undefined && { nextAttemptAt: notBefore }),
    ...(remainingMs !== null && { queueDeadlineAt: Date.now() + remainingMs }),
  };
}

/** Waits for the signal; at the end of the recheck interval asks again, at the end of the queue deadline a last time. */
async function inQueue(run: Run, attempt: number, remainingMs: number | null): Promise<CapacityState> {
  const ticket = run.ticket(attempt);
  const queueMs = remainingMs ?? Infinity;
  const waitMs = Math.min(queueMs, run.remainingMs, run.bounds.recheckMs);
  if (waitMs > 0) await condition(() => run.inbox.grantFor(ticket) !== undefined, waitMs);
  const grant = run.inbox.grantFor(ticket);
  if (grant !== undefined) return { state: 'granted', grant };
  if (waitMs < queueMs) return await request(run, attempt);
  const answer = await withdraw(run, attempt, true);
  return answer.state === 'granted' ? { state: 'granted', grant: answer.grant } : { state: 'withdrawn' };
}

async function request(run: Run, attempt: number, giveBack?: GiveBack): Promise<CapacityState> {
  try {
    const { requestCapacity } = requestActivities(Math.min(run.queueMs, run.remainingMs));
    const { bounds, ...state } = await requestCapacity({
      job: run.job,
      attempt,
      elapsedMs: run.elapsedMs,
      giveBack,
    });
    run.bounds = bounds;
    return state;
  } catch (error) {
    const noAnswer = error instanceof ActivityFailure && error.cause instanceof TimeoutFailure;
    if (noAnswer && !isCancellation(error)) throw new AttemptEnd('queue_timeout', 'The scheduler did not answer.');
    throw error;
  }
}

async function withdraw(run: Run, attempt: number, keepGrant: boolean) {
  return await returnActivities.withdrawRequest({ ticket: run.ticket(attempt), keepGrant });
}

function timedOut(run: Run): AttemptEnd {
  return new AttemptEnd('queue_timeout', `Bound: ${String(run.queueMs)} ms.`);
}
