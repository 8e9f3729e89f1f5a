import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { submitGated, submitHeld, submitSimple, traceOf, untilIdle } from '../support/jobs.js';
import { startWorld, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await startWorld({ sessions: 2 });
});
afterEach(() => untilIdle(world));
afterAll(async () => {
  await world.close();
});

test('C2: of two jobs on one node, the first that ends leaves the other one alone', async () => {
  const [first, second] = [await submitGated(world, 'first'), await submitGated(world, 'second')];
  await Promise.all([world.gates.reached('first'), world.gates.reached('second')]);
  world.gates.open('first');
  expect(await first.wait()).toMatchObject({ status: 'succeeded', attempts: 1 });
  world.gates.open('second');
  expect(await second.wait()).toMatchObject({ status: 'succeeded', attempts: 1 });
});

test('C3: after a job its node serves the next', async () => {
  expect(await (await submitSimple(world)).wait()).toMatchObject({ status: 'succeeded', attempts: 1 });
  await untilIdle(world);
  const version = new URL('/json/version', world.node.endpoint.replace(/^ws/, 'http'));
  version.searchParams.set('token', world.node.token);
  expect((await fetch(version)).status).toBe(200);
  expect(await (await submitSimple(world)).wait()).toMatchObject({ status: 'succeeded', attempts: 1 });
});

test('C7: ten pages that never load: each session is gone from its node before its capacity is given on', async () => {
  const jobs = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      submitHeld(world, `never-${String(index)}`, { bounds: { attemptMs: 2_000 } }),
    ),
  );
  const traces = await Promise.all(jobs.map((job) => traceOf(world, job)));
  expect(traces.map(({ status }) => status)).toEqual(jobs.map(() => 'failed'));
  const ids = traces.flatMap(({ reservations }) => reservations.map(({ id }) => id));
  expect(ids).toHaveLength(10);
  const freed = new Map(
    (await world.capacity.ledger()).flatMap(({ event, reservation, atMs }) =>
      reservation !== null && (event === 'released' || event === 'freed') ? [[reservation, atMs] as const] : [],
    ),
  );
  const closed = new Map(
    (await world.connectLog()).flatMap(({ event, trackingId, at }) =>
      event === 'close' && trackingId !== undefined ? [[trackingId, Date.parse(at)] as const] : [],
    ),
  );
  const early = ids.filter((id) => (closed.get(id) ?? Infinity) > (freed.get(id) ?? 0));
  expect(early).toEqual([]);
});
