import { Context } from '@temporalio/activity';
import type { Logger } from 'pino';
import { backoffMs, isServerAway, type Capacity } from '../../scheduler/index.js';
import type { Grant, Job, JobResult, SessionActivities } from '../../workflows/contract/index.js';
import { stateOf, type Delivery } from '../capacity/index.js';
import { Deadline } from '../deadline.js';
import { JobFailure, messageOf } from '../failure.js';
import { persist, type Patience } from '../persist.js';
import { NodeRefusal, NeverOpened } from './connect.js';
import type { CloseSession } from './closing.js';
import type { Captured, SessionHost } from './host.js';

export interface SessionPorts {
  readonly worker: string;
  readonly host: SessionHost;
  readonly capacity: Capacity;
  readonly delivery: Delivery;
  readonly closeSession: CloseSession;
  readonly heartbeatMs: number;
  readonly leaseMs: number;
  readonly log: Logger;
  /** For the jitter of back-offs: 0 to 1. */
  readonly random: () => number;
}

export function sessionActivities(ports: SessionPorts) {
  const { host, capacity, delivery, closeSession } = ports;
  return {
    async openSession({ job, grant, connectMs }) {
      const context = ownRun(grant);
      const { info, cancellationSignal } = context;
      const nonce = `${info.workflowExecution?.runId ?? ''}/${info.activityId}`;
      const activation = await persist(cancellationSignal, patienceOf(ports), () => capacity.activate(grant, nonce));
      if (activation.state === 'stale') throw new JobFailure('stale_generation');
      const activatedAt = performance.now();
      const deadline = Deadline.after(connectMs, 'connect_timeout', cancellationSignal);
      try {
        const { browser } = await beating(ports, grant, host.open(deadline, grant, job, activation.sessionMs));
        await keepLease(ports, grant, performance.now() - activatedAt);
        return { state: 'open', browser };
      } catch (error) {
        if (error instanceof NeverOpened) await delivery.grants((await capacity.release(grant)).grants);
        if (context.cancellationDetails?.notFound) {
          // The run was terminated or reset: nobody is there to wait in the queue again.
          await closeSession(grant);
          throw error;
        }
        if (!(error instanceof NodeRefusal)) throw error;
        const retryInMs = Math.round(backoffMs(grant.refusals, ports.random()));
        const { answer, grants } = await capacity.requeue(grant, 'refused', retryInMs);
        await delivery.grants(grants);
        return { state: 'refused', next: stateOf(answer), retryInMs };
      } finally {
        deadline.stop();
      }
    },

    async capture({ job, grant, attemptMs }) {
      const context = ownRun(grant);
      const deadline = Deadline.after(attemptMs, 'attempt_timeout', context.cancellationSignal);
      try {
        const captured = await beating(ports, grant, captureAndCommit(ports, deadline, grant, job));
        // Nothing more will use the session, so closing begins while Temporal is told; `closeSession` waits for its end.
        closeSession(grant).catch((error: unknown) => {
          ports.log.warn({ reservation: grant.reservation, error: messageOf(error) }, 'early close failed');
        });
        return { attempt: grant.ticket.attempt, ...captured };
      } catch (error) {
        // The run was terminated or reset: nobody will ask for the close.
        if (context.cancellationDetails?.notFound) await closeSession(grant);
        throw error;
      } finally {
        deadline.stop();
      }
    },

    async closeSession({ grant }) {
      return await closeSession(grant);
    },
  } satisfies SessionActivities;
}

/** The result's row is what the job has; an answer that was lost is given again. */
async function captureAndCommit(ports: SessionPorts, deadline: Deadline, grant: Grant, job: Job): Promise<Captured> {
  const { capacity, host, worker } = ports;
  const { job: jobId, attempt } = grant.ticket;
  const captured = await host.capture(deadline, grant, job);
  const result = { ...captured.result };
  const commit = await persist(deadline.signal, patienceOf(ports), () =>
    capacity.commit({ ...ref(grant), job: jobId, attempt, worker, result }),
  );
  if (commit.state === 'stale') throw new JobFailure('stale_generation');
  return { ...captured, result: commit.result.result as unknown as JobResult['result'] };
}

/** A database that restarts costs a job some seconds and not its attempt. When it is away for longer, so is the lease. */
const patienceOf = ({ leaseMs }: SessionPorts): Patience => ({
  forMs: leaseMs,
  isFinal: (error) => !isServerAway(error),
});

/**
 * Activating set the lease. Only when connecting took a good part of it, it may have ended meanwhile: then the slot may be
 * somebody else's. Otherwise the worker's own renewal, every two seconds, keeps it.
 */
async function keepLease(ports: SessionPorts, grant: Grant, tookMs: number) {
  const { capacity, delivery, worker, leaseMs } = ports;
  if (tookMs < leaseMs / 4) return;
  const { lost, grants } = await capacity.renew(worker, [grant]);
  await delivery.grants(grants);
  if (lost.length === 0) return;
  await ports.closeSession(grant);
  throw new JobFailure('stale_generation');
}

/** A run that was reset replays the grant of the run before it: that one's sessions are not its to use. */
function ownRun(grant: Grant): Context {
  const context = Context.current();
  if (context.info.workflowExecution?.runId !== grant.ticket.runId) {
    throw new JobFailure('stale_generation', 'It was granted to an earlier run of this job.');
  }
  return context;
}

/** Heartbeats while the slot answers: a hung slot must not hide behind a live worker. */
async function beating<T>({ host, heartbeatMs }: SessionPorts, grant: Grant, work: Promise<T>): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => {
    if (host.answers(grant)) context.heartbeat();
  }, heartbeatMs);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

function ref({ reservation, generation }: Grant) {
  return { reservation, generation };
}
