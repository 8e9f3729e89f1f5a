import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { holderOf, killService, untilIdle } from '../support/jobs.js';
import { startParents, type Parent, type Parents } from '../support/parents.js';
import { resetRun } from '../support/reset.js';
import { startWorld, type World } from '../support/world.js';
import type { Published, PublishOrder } from '../samples/publish-once.js';

let world: World;
let parents: Parents;
beforeAll(async () => {
  world = await startWorld({ renderWorkers: 2 });
  parents = await startParents(world);
});
afterAll(async () => {
  await parents.close();
  await world.close();
});
afterEach(() => untilIdle(world));

/** One page of its own for each test: its picture is held back until the gate of its name opens. */
let page: string;
let pages = 0;
beforeEach(async () => {
  pages += 1;
  page = `page-${String(pages)}`;
  await parents.tables.query(`insert into business.page values ($1, '1')`, [page]);
});

function order(): PublishOrder {
  return {
    page,
    version: '1',
    target: { base: 'gates', path: `/gated/${page}` },
    expiresAt: new Date(Date.UTC(2100, 0)).toISOString(),
    workspace: 'w1',
    user: 'u1',
  };
}

async function publish(workflowId?: string): Promise<Parent<Published>> {
  return await parents.start<Published>('publishOnce', [order()], workflowId);
}

/** Of the job that was asked for last, which is the test's own. */
async function count(event: string): Promise<number> {
  const ledger = await world.capacity.ledger();
  const latest = ledger.findLast((line) => line.event === 'requested');
  return ledger.filter((line) => line.event === event && line.job === latest?.job).length;
}

async function expectWrittenOnce(): Promise<void> {
  const written = (await parents.writes()).filter((what) => what === `publish-${page}-1`);
  expect(written).toHaveLength(1);
  expect(await count('committed')).toBe(1);
  expect(await count('consumed')).toBe(1);
}

test('a page whose render worker is killed in the middle is published once', async () => {
  const parent = await publish();
  await world.gates.reached(page);
  await killService(await holderOf(world));
  await world.gates.reached(page, 2);
  world.gates.open(page);
  expect(await parent.result()).toMatchObject({ status: 'published' });
  await expectWrittenOnce();
  expect(await count('granted')).toBe(2);
  await world.startRenderWorker();
});

test('a page whose parent is reset to its beginning is rendered and published once', async () => {
  const parent = await publish();
  await world.gates.reached(page);
  await resetRun(world.temporal, parent.workflowId, 'first task');
  world.gates.open(page);
  expect(await world.temporal.workflow.getHandle(parent.workflowId).result()).toMatchObject({ status: 'published' });
  await expectWrittenOnce();
  expect(await count('granted')).toBe(1);
});

test('a page whose parent is reset while it waits goes on waiting for the same job', async () => {
  const parent = await publish();
  await world.gates.reached(page);
  await resetRun(world.temporal, parent.workflowId, 'last task');
  world.gates.open(page);
  expect(await world.temporal.workflow.getHandle(parent.workflowId).result()).toMatchObject({ status: 'published' });
  await expectWrittenOnce();
  expect(await count('granted')).toBe(1);
});

test('a page whose parent is reset to the moment that it started its job has one result and is published once', async () => {
  const parent = await publish();
  await world.gates.reached(page);
  await resetRun(world.temporal, parent.workflowId, 'start of its child');
  world.gates.open(page);
  expect(await world.temporal.workflow.getHandle(parent.workflowId).result()).toMatchObject({ status: 'published' });
  await expectWrittenOnce();
});

test('a page whose parent is reset after it was published is neither rendered nor written again', async () => {
  const parent = await publish();
  world.gates.open(page);
  const before = await parent.result();
  await resetRun(world.temporal, parent.workflowId, 'first task');
  expect(await world.temporal.workflow.getHandle(parent.workflowId).result()).toEqual(before);
  await expectWrittenOnce();
  expect(await count('granted')).toBe(1);
});

test('a page whose parent worker is killed while it renders is published once', async () => {
  const parent = await publish();
  await world.gates.reached(page);
  await parents.killWorker();
  world.gates.open(page);
  await untilIdle(world);
  await parents.startWorker();
  expect(await parent.result()).toMatchObject({ status: 'published' });
  await expectWrittenOnce();
  expect(await count('granted')).toBe(1);
});

test('an operation that is started twice at once renders and writes once, and both are told', async () => {
  const both = await Promise.all([publish(), publish()]);
  await world.gates.reached(page);
  world.gates.open(page);
  const [one, other] = await Promise.all(both.map((parent) => parent.result()));
  expect(one).toMatchObject({ status: 'published' });
  expect(other).toEqual(one);
  await expectWrittenOnce();
  expect(await count('granted')).toBe(1);
});

test('an operation that is started again after its end finds the result', async () => {
  const first = await publish();
  world.gates.open(page);
  const before = await first.result();
  const again = await publish(first.workflowId);
  expect(await again.result()).toEqual(before);
  await expectWrittenOnce();
  expect(await count('granted')).toBe(1);
});

test('a page that got another version while it rendered is not written, and its result not consumed', async () => {
  const parent = await publish();
  await world.gates.reached(page);
  await parents.tables.query(`update business.page set version = '2' where page = $1`, [page]);
  world.gates.open(page);
  expect(await parent.result()).toEqual({ status: 'outdated' });
  expect(await parents.writes()).not.toContain(`publish-${page}-1`);
  expect(await count('committed')).toBe(1);
  expect(await count('consumed')).toBe(0);
});
