import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { SIMPLE, untilIdle } from '../support/jobs.js';
import { startParents, type Parents } from '../support/parents.js';
import type { Batched } from '../support/parent-workflows.js';
import { resetRun } from '../support/reset.js';
import { startWorld, type World } from '../support/world.js';
import type { AlbumOrder } from '../samples/batch-continuation.js';
import type { AlbumEntry } from '../samples/business.js';

let world: World;
let parents: Parents;
beforeAll(async () => {
  world = await startWorld();
  parents = await startParents(world);
});
afterAll(async () => {
  await parents.close();
  await world.close();
});
afterEach(() => untilIdle(world));

const caller = { workspace: 'w1', user: 'u1', kind: 'page_screenshot' as const };

const gated = (name: string) => ({
  ...caller,
  operation: 'batch',
  input: { target: { base: 'gates', path: `/gated/${name}` }, page: { waitFor: [{ type: 'ready', ms: 60_000 }] } },
});

test('a batch completes once with every item’s own outcome, in their order', async () => {
  const items = [
    { ...caller, operation: 'partial', input: SIMPLE },
    { ...caller, operation: 'partial', input: { target: { base: 'pages', path: '/nothing-here' } } },
    { ...caller, operation: 'partial', input: { target: { base: 'pages', path: 'no-slash' } } },
    { ...caller, operation: 'partial', input: { ...SIMPLE, area: { type: 'full_page' } } },
  ];
  const batched = await (await parents.start<Batched>('batch', [items])).result();
  expect(batched).toMatchObject({
    statuses: ['succeeded', 'failed', 'failed', 'succeeded'],
    codes: [null, 'target_gone', 'invalid_input', null],
    counts: [2, 2, 0],
  });
  expect(batched.ids.map((id) => id === null)).toEqual([false, false, true, false]);
});

test('a batch that is cancelled cancels all that it started, starts no more, and then ends as cancelled', async () => {
  const parent = await parents.start<Batched>('batch', [['one', 'two', 'three'].map(gated)]);
  await Promise.all([world.gates.reached('one'), world.gates.reached('two')]);
  const jobs = (await world.capacity.snapshot()).reservations.map(({ job }) => job);
  await world.temporal.workflow.getHandle(parent.workflowId).cancel();
  await expect(parent.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  expect((await world.capacity.snapshot()).running).toBe(0);
  for (const job of jobs) expect(await world.darkroom.job(job).wait()).toMatchObject({ status: 'cancelled' });
  const asked = (await world.capacity.ledger()).filter(({ event, user }) => event === 'requested' && user === 'u1');
  expect(asked.filter(({ job }) => jobs.includes(job))).toHaveLength(2);
  expect(jobs).toHaveLength(2);
});

test('a batch over several runs renders every page once and is written once, also when a run is reset', async () => {
  const order: AlbumOrder = {
    album: 'spring',
    base: 'pages',
    paths: ['/simple.html', '/bands.html', '/nothing-here'],
    chunk: 2,
    workspace: 'w1',
    user: 'album',
  };
  const parent = await parents.start<readonly AlbumEntry[]>('batchContinuation', [order]);
  const entries = await parent.result();
  expect(entries.map(({ path, code }) => [path, code])).toEqual([
    ['/simple.html', null],
    ['/bands.html', null],
    ['/nothing-here', 'target_gone'],
  ]);
  await resetRun(world.temporal, parent.workflowId, 'first task');
  expect(await world.temporal.workflow.getHandle(parent.workflowId).result()).toEqual(entries);
  expect(await parents.writes()).toEqual(['spring']);
  const granted = (await world.capacity.ledger()).filter((line) => line.event === 'granted' && line.user === 'album');
  expect(granted).toHaveLength(3);
});
