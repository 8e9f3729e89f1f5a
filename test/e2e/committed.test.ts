import { afterAll, beforeAll, expect, test } from 'vitest';
import { killService, submitGated, untilIdle } from '../support/jobs.js';
import { startWorld, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await startWorld({ sessions: 1, bounds: { attempts: 1 } });
});
afterAll(async () => {
  await world.close();
});

test('a worker that dies between its commit and its answer on the last attempt has rendered all the same', async () => {
  const job = await submitGated(world, 'committed');
  await world.gates.reached('committed');
  const [held] = (await world.capacity.snapshot()).reservations;
  if (held === undefined) throw new Error('nothing is held');
  // As the worker would have: only its answer is missing.
  const { reservation, generation, worker } = held;
  const result = { v: 1, title: 'committed' };
  const committed = await world.capacity.commit({ job: job.id, attempt: 1, reservation, generation, worker, result });
  expect(committed.state).toBe('committed');
  await killService(world.renderWorkers[0]);
  expect(await job.wait()).toMatchObject({ status: 'succeeded', attempts: 1, result });
  await untilIdle(world);
});
