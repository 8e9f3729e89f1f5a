import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { SubmittedJob } from '../../client/index.js';
import { childrenOf, processesNaming } from '../support/child-processes.js';
import { killService, submitGated, submitSimple, traceOf, untilIdle, untilQueued } from '../support/jobs.js';
import { sweepNow } from '../support/sweep.js';
import { startStatementProxy, type Boundary, type StatementProxy } from '../support/statement-proxy.js';
import { startWorld, type SupervisedWorker, type World } from '../support/world.js';

type Job = SubmittedJob<'page_screenshot'>;

let world: World;
let proxy: StatementProxy;
/** The only capacity worker, started again whenever it has ended. */
let worker: SupervisedWorker;

beforeAll(async () => {
  world = await startWorld({ sessions: 1, retention: { consumedMs: 1 } });
  await world.capacityWorker.stop();
  proxy = await startStatementProxy(world.databaseUrl);
  worker = await world.superviseCapacityWorker(proxy.url);
});
afterEach(async () => {
  await untilIdle(world);
});
afterAll(async () => {
  await world.close();
  await proxy.close();
});

async function killCapacityWorker(): Promise<void> {
  await killService(worker.current);
}

/** One that is not ready yet, so that only the process list knows it. */
function startingWorker(): number {
  const own = childrenOf(process.pid);
  const pid = processesNaming('workers/capacity.js').find((one) => own.includes(one));
  if (pid === undefined) throw new Error('no capacity worker is starting');
  return pid;
}

async function submitPaused(): Promise<Job> {
  await world.capacity.pause(true);
  const job = await submitSimple(world);
  await untilQueued(world);
  return job;
}

const BOUNDARIES: readonly Boundary[] = ['before', 'after'];

const allOf = (names: readonly string[]): [Boundary, string][] =>
  names.flatMap((name) => BOUNDARIES.map((boundary): [Boundary, string] => [boundary, name]));

/** Its results and objects, whether each reservation has ended, and what the scheduler counts wrong. */
async function endOf(job: Job): Promise<unknown> {
  const { reservations, ...trace } = await traceOf(world, job);
  const events = reservations.flatMap((reservation) => reservation.events);
  return {
    ...trace,
    results: events.filter((event) => event === 'committed').length,
    ended: events.filter((event) => event === 'released' || event === 'freed').length === reservations.length,
    drift: await world.drift(),
  };
}

const ONCE = { status: 'succeeded', attempts: 1, results: 1, objects: 1, ended: true, drift: [] };

test.each(allOf(['apply_limits', 'apply_nodes', 'apply_retention']))(
  'SIGKILL of the capacity worker %s %s, at its start: the next one starts, and a job renders once',
  async (boundary, statement) => {
    const reached = proxy.stopAt(boundary, statement);
    await killCapacityWorker();
    await reached;
    process.kill(startingWorker(), 'SIGKILL');
    expect(await endOf(await submitSimple(world))).toEqual(ONCE);
  },
);

test.each(allOf(['request']))(
  'SIGKILL of the capacity worker %s %s: the job asks again, and renders once',
  async (boundary, statement) => {
    const reached = proxy.stopAt(boundary, statement);
    const job = await submitSimple(world);
    await reached;
    await killCapacityWorker();
    expect(await endOf(job)).toEqual(ONCE);
  },
);

test.each(allOf(['sweep', 'delivered']))(
  'SIGKILL of the capacity worker %s %s, when a grant is to be told: it is told by the next one, and renders once',
  async (boundary, statement) => {
    const job = await submitPaused();
    const reached = proxy.stopAt(boundary, statement);
    // Whoever gave this grant does not tell the job: that is left to the capacity worker's tick.
    await world.capacity.pause(false);
    await reached;
    await killCapacityWorker();
    expect(await endOf(job)).toEqual(ONCE);
  },
);

test.each(allOf(['snapshot', 'report_nodes']))(
  'SIGKILL of the capacity worker %s %s, when it looks after the nodes: a job renders once',
  async (boundary, statement) => {
    await proxy.stopAt(boundary, statement);
    await killCapacityWorker();
    expect(await endOf(await submitSimple(world))).toEqual(ONCE);
  },
);

test.each(allOf(['quarantine', 'confirm_gone']))(
  'SIGKILL of the capacity worker %s %s, when a render worker is lost: the second attempt renders once',
  async (boundary, statement) => {
    const gate = `${boundary}-${statement}`;
    const job = await submitGated(world, gate);
    await world.gates.reached(gate);
    const reached = proxy.stopAt(boundary, statement);
    await killService(world.renderWorkers.at(-1));
    await world.startRenderWorker();
    await reached;
    await killCapacityWorker();
    await world.gates.reached(gate, 2);
    world.gates.open(gate);
    expect(await endOf(job)).toEqual({ ...ONCE, attempts: 2 });
  },
);

test.each(allOf(['withdraw']))(
  'SIGKILL of the capacity worker %s %s: the cancelled job leaves the queue and holds nothing',
  async (boundary, statement) => {
    const job = await submitPaused();
    const reached = proxy.stopAt(boundary, statement);
    await job.cancel();
    await reached;
    await killCapacityWorker();
    await world.capacity.pause(false);
    expect(await endOf(job)).toMatchObject({ status: 'cancelled', results: 0, objects: 0, ended: true, drift: [] });
  },
);

test.each(allOf(['release']))(
  'SIGKILL of the capacity worker %s %s, when it takes back the grant of a terminated workflow: nothing is held',
  async (boundary, statement) => {
    const job = await submitPaused();
    await world.temporal.workflow.getHandle(job.id).terminate('by an operator');
    const reached = proxy.stopAt(boundary, statement);
    await world.capacity.pause(false);
    await reached;
    await killCapacityWorker();
    expect(await endOf(job)).toMatchObject({ status: 'cancelled', results: 0, objects: 0, ended: true, drift: [] });
  },
);

test.each(allOf(['requeue']))(
  'SIGKILL of the capacity worker %s %s, when a grant finds no worker: the job gets another one, and renders once',
  async (boundary, statement) => {
    const job = await submitPaused();
    const reached = proxy.stopAt(boundary, statement);
    await killService(world.renderWorkers.at(-1));
    await world.capacity.pause(false);
    await reached;
    await world.startRenderWorker();
    await killCapacityWorker();
    expect(await endOf(job)).toEqual(ONCE);
  },
);

test.each(
  BOUNDARIES.flatMap((boundary): [Boundary, string[]][] => [
    [boundary, ['expired_results', 'uploads', 'open_tickets', 'forget']],
    [boundary, ['clear_results', 'stored_results']],
  ]),
)('SIGKILL of the capacity worker %s %j of a sweep: the same run goes on, and sweeps once', async (boundary, names) => {
  const job = await submitSimple(world);
  expect(await endOf(job)).toEqual(ONCE);
  expect(await job.consume({ artifact: null, inputDigest: job.inputDigest, by: 'test' })).toMatchObject({
    state: 'consumed',
  });
  const before = (await world.objects()).length;
  const reached = names.map((name) => proxy.stopAt(boundary, name));
  const swept = sweepNow(world);
  await Promise.all(reached);
  await killCapacityWorker();
  expect((await swept).objects.missing).toBe(0);
  expect((await world.objects()).length).toBe(before - 1);
  const lines = (await world.capacity.ledger()).filter((line) => line.event === 'cleared' && line.job === job.id);
  expect(lines).toHaveLength(1);
  expect(await world.drift()).toEqual([]);
});
