import { ActivityCancellationType, proxyActivities, type ActivityOptions } from '@temporalio/workflow';
import {
  DEFAULT_BOUNDS,
  TASK_QUEUES,
  type Bounds,
  type CapacityActivities,
  type Grant,
  type ParentActivities,
  type SessionActivities,
  type SweepActivities,
} from './contract/index.js';

/**
 * All activity options, with the reason for each number. Every proxy waits for a cancelled activity to end: with the
 * SDK's default a cancelled wait ends at once, and the grant or session that it brings later leaks.
 */
const cancellationType = ActivityCancellationType.WAIT_CANCELLATION_COMPLETED;

/** A granted worker polls all the time: one that has not started an activity after this long is not there. */
const WORKER_ANSWERS_MS = 10_000;

/** The scheduler answers in milliseconds; after this long the database is away, and the retry takes another connection. */
const CAPACITY_CALL_MS = 10_000;

/** Capacity workers heartbeat every second as long as they work on a call: a process that died is found soon. */
const onCapacityWorker = { taskQueue: TASK_QUEUES.capacity, heartbeatTimeout: 5_000 } as const;

/** Enough to reconnect after a database restart, without hammering it. */
const capacityRetry = { initialInterval: 200, backoffCoefficient: 2, maximumInterval: 5_000 };

/** Until the scheduler has told the operator's bounds, only the job's own queue bound is known. */
export function requestActivities(queueMs: number): Pick<CapacityActivities, 'requestCapacity'> {
  return proxyActivities<CapacityActivities>({
    ...onCapacityWorker,
    startToCloseTimeout: CAPACITY_CALL_MS,
    scheduleToCloseTimeout: queueMs + CAPACITY_CALL_MS,
    retry: capacityRetry,
    cancellationType,
  });
}

/** Retried without limit. */
const untilAnswered: ActivityOptions = {
  ...onCapacityWorker,
  startToCloseTimeout: CAPACITY_CALL_MS,
  retry: capacityRetry,
};

/** What gives capacity back: giving up would leak it. */
export const returnActivities: Omit<CapacityActivities, 'requestCapacity'> = proxyActivities<CapacityActivities>({
  ...untilAnswered,
  cancellationType,
});

/** One Temporal attempt each: another attempt of the job needs another reservation, so the workflow decides about it. */
export function openActivities(
  grant: Grant,
  bounds: Bounds,
  connectMs: number,
): Pick<SessionActivities, 'openSession'> {
  return proxyActivities<SessionActivities>({
    ...onWorker(grant, 'open a session'),
    cancellationType,
    // The worker itself bounds connecting; this is the second line, for a worker that hangs.
    startToCloseTimeout: connectMs + 5_000,
    heartbeatTimeout: bounds.leaseMs,
    retry: { maximumAttempts: 1 },
  });
}

export function captureActivities(grant: Grant, bounds: Bounds, attemptMs: number): Pick<SessionActivities, 'capture'> {
  return proxyActivities<SessionActivities>({
    ...onWorker(grant, 'capture'),
    cancellationType,
    // Likewise: the worker ends the attempt with `attempt_timeout` first.
    startToCloseTimeout: attemptMs + 10_000,
    heartbeatTimeout: bounds.leaseMs,
    retry: { maximumAttempts: 1 },
  });
}

/** Closing may be repeated, but not for long: after `closeMs` the reservation is quarantined instead. */
export function closeActivities(grant: Grant, bounds: Bounds): Pick<SessionActivities, 'closeSession'> {
  return proxyActivities<SessionActivities>({
    ...onWorker(grant, 'close the session'),
    cancellationType,
    startToCloseTimeout: bounds.closeMs,
    scheduleToCloseTimeout: bounds.closeMs,
    retry: { initialInterval: 200, maximumInterval: 2_000 },
  });
}

/** A parent waits for Darkroom's answer as long as a job would wait for capacity, then it is told that there is none. */
export const prepareActivities: Pick<ParentActivities, 'prepareJob'> = proxyActivities<ParentActivities>({
  ...onCapacityWorker,
  startToCloseTimeout: CAPACITY_CALL_MS,
  scheduleToCloseTimeout: DEFAULT_BOUNDS.queueMs,
  retry: capacityRetry,
  // It changes nothing, so nobody need wait for its end.
  cancellationType: ActivityCancellationType.TRY_CANCEL,
});

/** The job's own bounds end it. This one only lets the waiting begin anew now and then, on a process that is there. */
const ATTACHED_MS = 3_600_000;

export const attachActivities: Pick<ParentActivities, 'attachJob'> = proxyActivities<ParentActivities>({
  ...onCapacityWorker,
  startToCloseTimeout: ATTACHED_MS,
  retry: capacityRetry,
  // It holds nothing but its slot, which the next heartbeat frees.
  cancellationType: ActivityCancellationType.TRY_CANCEL,
});

/** The result is there, and giving up would waste it. */
export const consumeActivities: Pick<ParentActivities, 'consumeResult'> = proxyActivities<ParentActivities>({
  ...untilAnswered,
  cancellationType,
});

/** Each ends by itself well within this. What does not succeed now is the next run's, a minute later. */
const SWEEP_MS = 45_000;

export const sweepActivities: SweepActivities = proxyActivities<SweepActivities>({
  ...onCapacityWorker,
  startToCloseTimeout: SWEEP_MS,
  scheduleToCloseTimeout: 2 * SWEEP_MS,
  retry: { ...capacityRetry, maximumAttempts: 2 },
  cancellationType,
});

function onWorker(grant: Grant, what: string): ActivityOptions {
  return {
    taskQueue: TASK_QUEUES.render(grant.worker),
    scheduleToStartTimeout: WORKER_ANSWERS_MS,
    summary: `${what} on ${grant.node}, attempt ${String(grant.ticket.attempt)}`,
  };
}
