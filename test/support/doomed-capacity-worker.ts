import type { SubmittedJob } from '../../client/index.js';
import { childrenOf, processesNaming } from './child-processes.js';
import { killService, submitSimple, traceOf, untilQueued, type Trace } from './jobs.js';
import { startStatementProxy, type Boundary, type StatementProxy } from './statement-proxy.js';
import { startWorld, type World } from './world.js';

type Job = SubmittedJob<'page_screenshot'>;

/** A world whose only capacity worker can be stopped at a statement and killed there; it is started again whenever it has ended. */
export interface DoomedCapacityWorker {
  readonly world: World;
  readonly stopAt: StatementProxy['stopAt'];
  /** SIGKILL. */
  kill(): Promise<void>;
  /** SIGKILL of one that is not ready yet, so that only the process list knows it. */
  killStarting(): void;
  /** A job that waits, since nothing is granted until `world.capacity.pause(false)`. */
  submitPaused(): Promise<Job>;
  endOf(job: Job): Promise<End>;
  close(): Promise<void>;
}

export interface End extends Omit<Trace, 'reservations'> {
  readonly results: number;
  /** Whether each of its reservations has. */
  readonly ended: boolean;
  /** What the scheduler counts wrong. */
  readonly drift: readonly unknown[];
}

export const ONCE: End = { status: 'succeeded', attempts: 1, results: 1, objects: 1, ended: true, drift: [] };

const BOUNDARIES: readonly Boundary[] = ['before', 'after'];

/** Both boundaries of each, for `test.each`. */
export function boundariesOf<T>(...statements: readonly T[]): [Boundary, T][] {
  return statements.flatMap((statement) => BOUNDARIES.map((boundary): [Boundary, T] => [boundary, statement]));
}

export async function startDoomedCapacityWorker(): Promise<DoomedCapacityWorker> {
  const world = await startWorld({ sessions: 1, retention: { consumedMs: 1 } });
  await world.capacityWorker.stop();
  const proxy = await startStatementProxy(world.databaseUrl);
  const worker = await world.superviseCapacityWorker(proxy.url);
  return {
    world,
    stopAt: (boundary, statement) => proxy.stopAt(boundary, statement),
    kill: () => killService(worker.current),
    killStarting: () => {
      const own = childrenOf(process.pid);
      const pid = processesNaming('workers/capacity.js').find((one) => own.includes(one));
      if (pid === undefined) throw new Error('no capacity worker is starting');
      process.kill(pid, 'SIGKILL');
    },
    submitPaused: async () => {
      await world.capacity.pause(true);
      const job = await submitSimple(world);
      await untilQueued(world);
      return job;
    },
    endOf: async (job) => {
      const { reservations, ...trace } = await traceOf(world, job);
      const events = reservations.flatMap((reservation) => reservation.events);
      return {
        ...trace,
        results: events.filter((event) => event === 'committed').length,
        ended: events.filter((event) => event === 'released' || event === 'freed').length === reservations.length,
        drift: await world.drift(),
      };
    },
    close: async () => {
      await world.close();
      await proxy.close();
    },
  };
}
