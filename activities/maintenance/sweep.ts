import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Capacity, KeptResult, Retention, RetentionStore, ResultSummary, Ticket } from '../../scheduler/index.js';
import { objectsIn, type SweepActivities } from '../../workflows/contract/index.js';
import type { Delivery } from '../capacity/index.js';
import { Deadline } from '../deadline.js';
import { partsOfKey, type ObjectStore } from '../results/index.js';
import { judge, pageOf, type BucketPage } from './bucket-page.js';

export interface SweepPorts {
  readonly retention: RetentionStore;
  readonly kept: Retention;
  readonly capacity: Pick<Capacity, 'withdraw' | 'quarantine'>;
  readonly delivery: Delivery;
  readonly store: ObjectStore;
  readonly temporal: Client;
  /** A ticket that is younger has surely a workflow. */
  readonly leaseMs: number;
  readonly log: Logger;
}

/** Each call ends by itself after this, and says how far it came. */
const CALL_MS = 30_000;
/** Of that, no new portion is begun in the last part. */
const PORTIONS_MS = 20_000;
const RESULTS_AT_ONCE = 50;
/** So many objects a run: a bucket of a million is gone through in three and a half hours. */
const OBJECTS_A_RUN = 5_000;
const TICKETS_A_RUN = 200;
const ROWS_A_RUN = 5_000;

/** What needs the bucket or Temporal, once a minute; the scheduler's own tick needs neither. */
export function sweepActivities(ports: SweepPorts): SweepActivities {
  const { retention, kept, store, log } = ports;
  return {
    clearExpired: () => bounded((deadline) => clearExpired(ports, deadline)),

    sweepObjects: ({ after }) =>
      bounded(async (deadline) => {
        const before = await retention.now();
        const page = pageOf(await store.list(deadline, after, OBJECTS_A_RUN), OBJECTS_A_RUN);
        const { orphans, missing } = judge(page, {
          uploads: await retention.uploads(reservationsIn(page)),
          results: await retention.kept(after, page.until, before),
          forgottenBefore: new Date(before.getTime() - kept.resultMs),
        });
        if (orphans.length > 0) await store.remove(deadline, orphans);
        for (const { job, reservation } of missing) log.error({ job, reservation }, 'objects of a result are missing');
        await retention.clear(missing.map(summarized), 'objects_missing');
        const { objects, until } = page;
        return { looked: objects.length, orphans: orphans.length, missing: missing.length, next: until ?? '' };
      }),

    async endClosed() {
      const tickets = await retention.openTickets(ports.leaseMs, TICKETS_A_RUN);
      let closed = 0;
      for (const ticket of tickets) {
        if (await isOpen(ports.temporal, ticket)) continue;
        closed += 1;
        log.warn({ ...ticket }, 'giving back what a closed workflow holds');
        await giveBack(ports, ticket);
      }
      return { asked: tickets.length, closed };
    },

    forgetOld: () => retention.forget(ROWS_A_RUN),
  };
}

async function bounded<T>(work: (deadline: Deadline) => Promise<T>): Promise<T> {
  const deadline = Deadline.after(CALL_MS, 'storage_unavailable');
  try {
    return await work(deadline);
  } finally {
    deadline.stop();
  }
}

/** The objects first: a row that is left names nothing that is gone for longer than this call, and is found again. */
async function clearExpired({ retention, store }: SweepPorts, deadline: Deadline): Promise<number> {
  let cleared = 0;
  for (;;) {
    const due = await retention.expired(RESULTS_AT_ONCE);
    await Promise.all(due.map(({ folder }) => store.removeFolder(deadline, folder)));
    cleared += await retention.clear(due.map(summarized), 'expired');
    if (due.length < RESULTS_AT_ONCE || deadline.remainingMs < CALL_MS - PORTIONS_MS) return cleared;
  }
}

function summarized({ job, result }: KeptResult): { readonly job: string; readonly summary: ResultSummary } {
  const objects = objectsIn(result).map(({ sha256, bytes, contentType }) => ({ sha256, bytes, contentType }));
  return { job, summary: { objects } };
}

function reservationsIn({ objects }: BucketPage): readonly string[] {
  return [...new Set(objects.flatMap(({ key }) => partsOfKey(key)?.reservation ?? []))];
}

async function isOpen(temporal: Client, { job, runId }: Ticket): Promise<boolean> {
  try {
    const { status } = await temporal.workflow.getHandle(job, runId).describe();
    return status.name === 'RUNNING' || status.name === 'PAUSED';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/** A session that is still open may live: its capacity stays counted until the node confirms that it is gone. */
async function giveBack({ capacity, delivery }: SweepPorts, ticket: Ticket): Promise<void> {
  const answer = await capacity.withdraw(ticket);
  await delivery.grants(answer.grants);
  if (answer.state === 'active') await capacity.quarantine(answer.grant, 'workflow_closed');
}
