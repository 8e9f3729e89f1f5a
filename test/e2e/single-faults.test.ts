import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { SubmittedJob } from '../../client/index.js';
import { browserOf, childrenOf, isRunning } from '../support/child-processes.js';
import { hasPrivateMounts, nameOf, type ChaosNode, type ChaosWorker } from '../support/deployment-parts.js';
import { startDeployment, type Deployment } from '../support/deployment.js';
import { eventually } from '../support/eventually.js';
import type { Network } from '../support/fault-proxy.js';
import { fillDisk } from '../support/full-disk.js';
import { killService, submitHeld, traceOf, untilIdle } from '../support/jobs.js';

type Job = SubmittedJob<'page_screenshot'>;

let deployment: Deployment;
beforeAll(async () => {
  // Longer than a restart of Postgres or Temporal takes on a busy machine, so that what a job then does is always the same.
  deployment = await startDeployment({ bounds: { leaseMs: 10_000 } });
});
afterEach(async () => {
  await allUp();
  await untilIdle(deployment, 30_000);
});
afterAll(async () => {
  await deployment.close();
});

async function allUp(): Promise<void> {
  const { nodes, workers, postgres, temporalServer } = deployment;
  await eventually(
    () => Promise.resolve([...[...nodes, ...workers].map((each) => each.process), postgres, temporalServer]),
    (processes) => processes.every(({ current }) => current !== undefined),
  );
}

/** A job whose navigation waits for `open`, and what it runs on. */
interface Navigating {
  readonly job: Job;
  readonly node: ChaosNode;
  readonly worker: ChaosWorker;
  readonly browser: number;
  /** Settles when the page was asked for again, by a second attempt. */
  readonly again: () => Promise<void>;
  readonly open: () => void;
}

let count = 0;

async function navigating(): Promise<Navigating> {
  count += 1;
  const gate = `fault-${String(count)}`;
  const job = await submitHeld(deployment, gate);
  await deployment.gates.reached(gate);
  const [held] = (await deployment.capacity.snapshot()).reservations;
  const node = deployment.nodes.find(({ id }) => id === held?.node);
  const names = await Promise.all(deployment.workers.map(nameOf));
  const worker = deployment.workers.find((_, index) => names[index] === held?.worker);
  const [child] = childrenOf(node?.process.current?.pid ?? 0);
  if (node === undefined || worker === undefined || child === undefined) throw new Error('nothing holds the job');
  return {
    job,
    node,
    worker,
    browser: browserOf(child),
    again: () => deployment.gates.reached(gate, 2),
    open: () => {
      deployment.gates.open(gate);
    },
  };
}

interface Ended {
  readonly status: string;
  readonly attempts: number | undefined;
  /** What the ledger says of the job's reservations, each in one line. */
  readonly reservations: readonly string[];
  readonly objects: number;
  readonly drift: readonly unknown[];
}

async function endOf(job: Job): Promise<Ended> {
  const { reservations, ...trace } = await traceOf(deployment, job);
  return {
    ...trace,
    reservations: reservations.map(({ events }) => events.join(' ')),
    drift: await deployment.drift(),
  };
}

const GOOD = 'granted activated committed released';
const CLOSED = 'granted activated released';
const LOST = 'granted activated quarantined freed';
const UNHARMED = { status: 'succeeded', attempts: 1, reservations: [GOOD], objects: 1, drift: [] };
const after = (first: string): unknown => ({ ...UNHARMED, attempts: 2, reservations: [first, GOOD] });

/** For as long as `what` takes. */
async function disturbed(network: { set(network: Network): void }, how: Network, what: Promise<void>): Promise<void> {
  network.set(how);
  await what;
  network.set('pass');
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test('SIGKILL of every workflow worker: the job goes on where it was', async () => {
  const { job, open } = await navigating();
  for (const { name, process } of deployment.workers)
    if (name === 'workflow-worker') await killService(process.current);
  open();
  expect(await endOf(job)).toEqual(UNHARMED);
});

test('SIGKILL of the browser: the second attempt renders', async () => {
  const { job, browser, again, open } = await navigating();
  process.kill(browser, 'SIGKILL');
  await again();
  open();
  expect(await endOf(job)).toEqual(after(CLOSED));
});

test('SIGSTOP of the browser for a while: the job waits, and goes on', async () => {
  const { job, browser, open } = await navigating();
  process.kill(browser, 'SIGSTOP');
  open();
  await pause(3_000);
  process.kill(browser, 'SIGCONT');
  expect(await endOf(job)).toEqual(UNHARMED);
});

test('SIGSTOP of the browser for ever: it is given up and killed, and the second attempt renders', async () => {
  const { job, browser, open } = await navigating();
  process.kill(browser, 'SIGSTOP');
  open();
  const { reservations, ...rest } = await endOf(job);
  expect(rest).toEqual({ status: 'succeeded', attempts: 2, objects: 1, drift: [] });
  // How its session ends depends on whether the kill is confirmed within the closing.
  expect([CLOSED, LOST]).toContain(reservations[0]);
  expect(reservations.slice(1)).toEqual([GOOD]);
  expect(isRunning(browser)).toBe(false);
});

test('SIGKILL of the browser node: the second attempt renders', async () => {
  const { job, node, again, open } = await navigating();
  await killService(node.process.current);
  await again();
  open();
  expect(await endOf(job)).toEqual(after(LOST));
});

test('Q33: SIGSTOP of the render worker beyond its lease: the second attempt renders, and the first can write nothing', async () => {
  const { job, worker, again, open } = await navigating();
  const pid = worker.process.current?.pid ?? 0;
  process.kill(pid, 'SIGSTOP');
  await again();
  open();
  const ended = await job.wait();
  process.kill(pid, 'SIGCONT');
  expect(ended.status).toBe('succeeded');
  expect(await endOf(job)).toEqual(after(LOST));
});

test('the network to the node is cut: the second attempt renders', async () => {
  const { job, node, again, open } = await navigating();
  await disturbed(node.network, 'cut', pause(500));
  await again();
  open();
  expect(await endOf(job)).toEqual(after(LOST));
});

test('the network to the node is slow: the job is not harmed', async () => {
  const { job, node, open } = await navigating();
  open();
  await disturbed(node.network, 'delay', pause(3_000));
  expect(await endOf(job)).toEqual(UNHARMED);
});

test('the network to the node is a black hole: the second attempt renders', async () => {
  const { job, node, again, open } = await navigating();
  await disturbed(node.network, 'hole', Promise.race([again(), pause(30_000)]));
  open();
  expect(await endOf(job)).toEqual(after(LOST));
});

test.each(['503', 'hole'] as const)('the object store (%s) is away for 3 s: the job is not harmed', async (how) => {
  const { job, open } = await navigating();
  open();
  await disturbed(deployment.storage, how, pause(3_000));
  expect(await endOf(job)).toEqual(UNHARMED);
});

test('every connection to Postgres is cut: the job is not harmed', async () => {
  const { job, open } = await navigating();
  await deployment.pool.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  open();
  expect(await endOf(job)).toEqual(UNHARMED);
});

test('Postgres is restarted: the job is not harmed', async () => {
  const { job, open } = await navigating();
  await deployment.postgres.current?.stop();
  open();
  expect(await endOf(job)).toEqual(UNHARMED);
});

test('SIGKILL of Temporal, which comes back: the job is not harmed', async () => {
  const { job, open } = await navigating();
  await killService(deployment.temporalServer.current);
  open();
  await allUp();
  expect(await endOf(job)).toEqual(UNHARMED);
});

test('Q41: the network to Temporal is a black hole for 15 s: the workers poll again, and the job is not harmed', async () => {
  const { job, open } = await navigating();
  open();
  await disturbed(deployment.temporalNetwork, 'hole', pause(15_000));
  expect(await endOf(job)).toEqual(UNHARMED);
  const next = await navigating();
  next.open();
  expect(await endOf(next.job)).toEqual(UNHARMED);
});

// Needs a disk that can be filled: a mount of this run's own, which `npm test` has where its user may mount.
test.skipIf(!hasPrivateMounts())(
  'the disk of the render worker is full: the job is not harmed, nor is the next one after it',
  async () => {
    const { job, worker, open } = await navigating();
    const undo = await fillDisk(worker.disk);
    open();
    expect(await endOf(job)).toEqual(UNHARMED);
    await undo();
    const next = await navigating();
    next.open();
    expect(await endOf(next.job)).toEqual(UNHARMED);
  },
);

test.each([-30_000, 30_000])("every worker's clock is %d ms wrong: the job is not harmed", async (skew) => {
  const preload = new URL('../chaos/skew.mjs', import.meta.url).href;
  for (const worker of deployment.workers) {
    worker.extra = { NODE_OPTIONS: `--import ${preload}`, DARKROOM_CHAOS_SKEW_MS: String(skew) };
    await killService(worker.process.current);
  }
  await allUp();
  const { job, open } = await navigating();
  open();
  expect(await endOf(job)).toEqual(UNHARMED);
});
