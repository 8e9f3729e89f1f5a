import { afterAll, beforeAll, expect, test } from 'vitest';
import { darkroom as runCli } from '../support/cli.js';
import { eventually } from '../support/eventually.js';
import { holderOf, killService, submitGated, untilIdle } from '../support/jobs.js';
import { SHORT_BOUNDS, startWorld, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await startWorld({ renderWorkers: 2 });
});
afterAll(async () => {
  await world.close();
});

test('SIGKILL of the render worker in the middle of a capture: the second attempt succeeds within lease + 5 s', async () => {
  const job = await submitGated(world, 'killed');
  await world.gates.reached('killed');
  const { reservations } = await world.capacity.snapshot();
  const held = reservations[0];
  const victim = await holderOf(world);
  expect(victim).toBeDefined();
  const killedAt = Date.now();
  await killService(victim);
  await world.gates.reached('killed', 2);
  world.gates.open('killed');
  const outcome = await job.wait();
  const tookMs = Date.now() - killedAt;

  expect(outcome).toMatchObject({ status: 'succeeded', attempts: 2 });
  expect(tookMs).toBeLessThan(SHORT_BOUNDS.leaseMs + 5_000);
  await untilIdle(world);
  const events = (await world.capacity.ledger()).filter(({ reservation }) => reservation === held?.reservation);
  expect(events.map(({ event }) => event)).toEqual(['granted', 'activated', 'quarantined', 'freed']);
  const { spans } = await job.timeline();
  expect(
    spans.filter(({ outcome: ended }) => ended !== undefined).map(({ phase, outcome: ended }) => [phase, ended]),
  ).toEqual([
    ['capturing', 'worker_lost'],
    ['closing', 'quarantined'],
  ]);
});

test('an operator frees by hand what its node does not confirm; before it is in quarantine he is refused', async () => {
  const free = (reservation: string) => runCli(world.configuration, ['capacity', 'free', reservation, '--json']);
  const job = await submitGated(world, 'by-hand');
  await world.gates.reached('by-hand');
  const [held = expect.fail('The job holds a reservation.')] = (await world.capacity.snapshot()).reservations;
  const refused = await free(held.reservation);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('is not in quarantine')]);
  world.node.proxy.hold('/sessions', '/kill');
  await killService(await holderOf(world));
  await eventually(
    () => world.capacity.snapshot(),
    ({ reservations }) => reservations[0]?.state === 'quarantined',
  );
  const { code, stdout } = await free(held.reservation);
  expect([code, JSON.parse(stdout)]).toEqual([0, { reservation: held.reservation, freed: true }]);
  await world.startRenderWorker();
  world.node.proxy.release();
  await world.gates.reached('by-hand', 2);
  world.gates.open('by-hand');
  expect(await job.wait()).toMatchObject({ status: 'succeeded', attempts: 2 });
  await untilIdle(world);
  const lines = (await world.capacity.ledger()).filter(({ reservation }) => reservation === held.reservation);
  expect(lines.at(-1)).toMatchObject({ event: 'freed', reason: 'operator' });
});
