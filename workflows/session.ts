import { CancellationScope, condition } from '@temporalio/workflow';
import type {
  CommittedResult,
  GiveBack,
  Grant,
  JobResult,
  OpenSessionAnswer,
  QuarantineReason,
  StepTime,
} from './contract/index.js';
import type { Return } from './acquire.js';
import { AttemptEnd, endingOf, isWorkerMissing } from './ending.js';
import { captureActivities, closeActivities, openActivities, returnActivities } from './options.js';
import type { Run } from './run.js';

export type Rendered =
  | { readonly state: 'committed'; readonly result: JobResult }
  /** The grant could not be used, through no fault of the job: it waits again without having spent an attempt. */
  | { readonly state: 'again'; readonly back: Return };

/** What is known of the session when the attempt leaves it: how it has to be cleaned up. */
type Left = 'unopened' | 'opened' | 'given_back' | 'worker_lost';

/** How the use of a grant ended, before its session is cleaned up. */
interface Used {
  readonly left: Left;
  /** For the timeline, when it did not end well. */
  readonly outcome?: string;
  readonly steps?: readonly StepTime[] | undefined;
  readonly end: () => Rendered;
}

/** Uses one grant: opens a session, captures, and closes it whatever happens in between. */
export async function render(run: Run, grant: Grant): Promise<Rendered> {
  const { left, outcome, steps, end } = await use(run, grant);
  run.leave(outcome, steps);
  const result = await CancellationScope.nonCancellable(() => cleanUp(run, grant, left));
  // A worker that died between its commit and its answer has rendered all the same.
  return result === undefined ? end() : { state: 'committed', result: run.committed(result) };
}

async function use(run: Run, grant: Grant): Promise<Used> {
  const attempt = grant.ticket.attempt;
  const attemptEndsAt = Date.now() + run.attemptMs;
  let left: Left = 'unopened';
  try {
    if (CancellationScope.current().consideredCancelled) throw new AttemptEnd('cancelled');
    left = 'opened';
    run.enter('connecting', attempt, grant);
    const opened = await open(run, grant, attemptEndsAt - Date.now());
    if (opened.state === 'refused') {
      const back = { place: opened.next, notBefore: Date.now() + opened.retryInMs };
      return { left: 'given_back', outcome: 'refused', end: () => ({ state: 'again', back }) };
    }
    run.enter('capturing', attempt, grant);
    const committed = await capture(run, grant, attemptEndsAt - Date.now());
    const result = run.committed(committed);
    return { left, steps: committed.steps, end: () => ({ state: 'committed', result }) };
  } catch (error) {
    const { code, steps } = endingOf(error);
    const outcome = isWorkerMissing(error) ? 'worker_missing' : code;
    if (outcome === 'worker_missing' || outcome === 'stale_generation') {
      const back = { giveBack: giveBack(grant, outcome === 'worker_missing' ? outcome : 'stale') };
      return { left: 'given_back', outcome, end: () => ({ state: 'again', back }) };
    }
    const fail = (): never => {
      throw error;
    };
    return { left: outcome === 'worker_lost' ? 'worker_lost' : left, outcome, steps, end: fail };
  }
}

async function open(run: Run, grant: Grant, attemptLeftMs: number): Promise<OpenSessionAnswer> {
  const totalLeftMs = run.remainingMs;
  const connectMs = Math.max(1, Math.min(run.bounds.connectMs, attemptLeftMs, totalLeftMs));
  try {
    return await openActivities(grant, run.bounds, connectMs).openSession({ job: run.job, grant, connectMs });
  } catch (error) {
    if (connectMs < run.bounds.connectMs && endingOf(error).code === 'connect_timeout') {
      throw new AttemptEnd(totalLeftMs <= attemptLeftMs ? 'deadline_exceeded' : 'attempt_timeout');
    }
    throw error;
  }
}

/** Ends early when the scheduler says that the session is gone: a dead worker would answer only a heartbeat time-out later. */
async function capture(run: Run, grant: Grant, attemptLeftMs: number): Promise<CommittedResult> {
  const totalLeftMs = run.remainingMs;
  const attemptMs = Math.max(1, Math.min(attemptLeftMs, totalLeftMs));
  const scope = new CancellationScope();
  const work = scope.run(() =>
    captureActivities(grant, run.bounds, attemptMs).capture({ job: run.job, grant, attemptMs }),
  );
  // Not cancellable, so that a cancelled attempt still waits for its capture to stop.
  const lost = CancellationScope.nonCancellable(() => condition(() => run.inbox.isLost(grant)).then(() => undefined));
  try {
    const result = await Promise.race([work, lost]);
    if (result !== undefined) return result;
    scope.cancel();
    work.catch(() => undefined); // Its end no longer matters: the reservation is gone, so it can commit nothing.
    throw new AttemptEnd('worker_lost', 'Its session ended at the node.');
  } catch (error) {
    const { code, evidence, steps } = endingOf(error);
    if (totalLeftMs <= attemptLeftMs && code === 'attempt_timeout') {
      throw new AttemptEnd('deadline_exceeded', undefined, { evidence, steps });
    }
    throw error;
  }
}

function giveBack({ ticket, reservation, generation }: Grant, reason: GiveBack['reason']): GiveBack {
  return { ticket, reservation, generation, reason };
}

/** Gives back what is left of the grant. Gives the job's result, when it turns out that there is one. */
async function cleanUp(run: Run, grant: Grant, left: Left): Promise<CommittedResult | undefined> {
  if (left === 'given_back') return undefined;
  if (left === 'unopened') {
    await returnActivities.releaseCapacity(grant);
    return undefined;
  }
  run.enter('closing', grant.ticket.attempt, grant);
  if (left === 'worker_lost') return await quarantine(run, grant, 'worker_lost');
  try {
    const closed = await closeActivities(grant, run.bounds).closeSession({ grant });
    run.leave(closed.state === 'quarantined' ? 'quarantined' : undefined);
    return undefined;
  } catch {
    // Whatever kept the worker from closing, its answer is the same: the session may live, so its slot stays counted.
    return await quarantine(run, grant, 'close_unconfirmed');
  }
}

async function quarantine(
  run: Run,
  { reservation, generation }: Grant,
  reason: QuarantineReason,
): Promise<CommittedResult | undefined> {
  const { result } = await returnActivities.quarantineCapacity({ reservation, generation, reason });
  run.leave('quarantined');
  return result;
}
