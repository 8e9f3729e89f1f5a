import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { SubmittedJob } from '../../client/index.js';
import { holdWrite } from '../support/held-statement.js';
import { killService, submitHeld, submitSimple, traceOf, untilIdle, type Trace } from '../support/jobs.js';
import { startWorld, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await startWorld({ sessions: 1, renderWorkers: 1 });
});
afterEach(async () => {
  await untilIdle(world);
});
afterAll(async () => {
  await world.close();
});

async function killWorker(): Promise<void> {
  await killService(world.renderWorkers.at(-1));
}

interface Ended extends Omit<Trace, 'reservations'> {
  /** What the ledger says of the job's reservations, each in one line. */
  readonly reservations: readonly string[];
  /** Sessions that the node opened for it. */
  readonly sessions: number;
}

async function endOf(job: SubmittedJob<'page_screenshot'>): Promise<Ended> {
  const { reservations, ...trace } = await traceOf(world, job);
  const opened = (await world.connectLog()).filter(
    ({ event, trackingId }) => event === 'open' && reservations.some(({ id }) => id === trackingId),
  );
  return { ...trace, reservations: reservations.map(({ events }) => events.join(' ')), sessions: opened.length };
}

const GOOD = 'granted activated committed released';
const LOST = 'granted activated quarantined freed';

test('SIGKILL of the worker before it activates its grant: the grant ends unused, and the second attempt renders', async () => {
  const held = await holdWrite(world, 'update', 'reservation', "new.state = 'active' and old.state = 'granted'");
  const job = await submitSimple(world);
  await held.reached();
  await killWorker();
  await held.cut();
  await world.startRenderWorker();
  expect(await endOf(job)).toEqual({
    status: 'succeeded',
    attempts: 2,
    reservations: ['granted freed', GOOD],
    objects: 1,
    sessions: 1,
  });
});

test('SIGKILL of the worker before the node answers its dial: the second attempt renders', async () => {
  world.node.proxy.hold('/chromium');
  const job = await submitSimple(world);
  await world.node.proxy.held();
  await killWorker();
  world.node.proxy.release();
  await world.startRenderWorker();
  expect(await endOf(job)).toMatchObject({
    status: 'succeeded',
    attempts: 2,
    reservations: [LOST, GOOD],
    objects: 1,
  });
});

test('SIGKILL of the worker while its page navigates: the second attempt renders', async () => {
  const job = await submitHeld(world, 'navigating');
  await world.gates.reached('navigating');
  await killWorker();
  await world.startRenderWorker();
  await world.gates.reached('navigating', 2);
  world.gates.open('navigating');
  expect(await endOf(job)).toEqual({
    status: 'succeeded',
    attempts: 2,
    reservations: [LOST, GOOD],
    objects: 1,
    sessions: 2,
  });
});

test('SIGKILL of the worker after its upload: the second attempt stores its own object, and only that has a row', async () => {
  const held = await holdWrite(world, 'insert', 'result');
  const job = await submitSimple(world);
  await held.reached();
  await killWorker();
  await held.cut();
  await world.startRenderWorker();
  expect(await endOf(job)).toEqual({
    status: 'succeeded',
    attempts: 2,
    reservations: [LOST, GOOD],
    objects: 2,
    sessions: 2,
  });
});

test('SIGKILL of the worker after its result row: the job has succeeded with it, and is not rendered again', async () => {
  const held = await holdWrite(world, 'insert', 'result');
  const job = await submitSimple(world);
  await held.reached();
  await killWorker();
  await held.release();
  await world.startRenderWorker();
  expect(await endOf(job)).toEqual({
    status: 'succeeded',
    attempts: 1,
    reservations: ['granted activated committed quarantined freed'],
    objects: 1,
    sessions: 1,
  });
});
