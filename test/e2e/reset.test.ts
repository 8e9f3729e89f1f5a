import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JobHandle } from '../../client/index.js';
import { submitGated, submitSimple, untilIdle, untilQueued } from '../support/jobs.js';
import { resetRun } from '../support/reset.js';
import { startWorld, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await startWorld({ sessions: 1 });
});
afterAll(async () => {
  await world.close();
});

async function grantsByRun(job: JobHandle): Promise<Record<string, number>> {
  const ledger = await world.capacity.ledger();
  const counts = { granted: 0, activated: 0, committed: 0 };
  for (const entry of ledger) {
    if (entry.job === job.id && entry.event in counts) counts[entry.event as keyof typeof counts] += 1;
  }
  return counts;
}

test('a job that is reset while it waits asks anew, and the old run’s grant is never used', async () => {
  const first = await submitGated(world, 'blocker');
  await world.gates.reached('blocker');
  const job = await submitSimple(world);
  await untilQueued(world);
  await resetRun(world.temporal, job.id);
  world.gates.open('blocker');
  expect(await first.wait()).toMatchObject({ status: 'succeeded' });
  expect(await job.wait()).toMatchObject({ status: 'succeeded', attempts: 1 });
  await untilIdle(world);
  expect(await grantsByRun(job)).toMatchObject({ activated: 1, committed: 1 });
});

test('a job that is reset while it captures acquires anew and has one result', async () => {
  const job = await submitGated(world, 'resetting');
  await world.gates.reached('resetting');
  await resetRun(world.temporal, job.id);
  await world.gates.reached('resetting', 2);
  world.gates.open('resetting');
  expect(await job.wait()).toMatchObject({ status: 'succeeded', attempts: 1 });
  await untilIdle(world);
  expect(await grantsByRun(job)).toMatchObject({ activated: 2, committed: 1 });
});

test('a job that waited, was granted by signal and is reset while it captures acquires anew and has one result', async () => {
  const first = await submitGated(world, 'before');
  await world.gates.reached('before');
  const job = await submitGated(world, 'signalled');
  await untilQueued(world);
  world.gates.open('before');
  await first.wait();
  await world.gates.reached('signalled');
  await resetRun(world.temporal, job.id);
  await world.gates.reached('signalled', 2);
  world.gates.open('signalled');
  expect(await job.wait()).toMatchObject({ status: 'succeeded', attempts: 1 });
  await untilIdle(world);
  expect(await grantsByRun(job)).toMatchObject({ activated: 2, committed: 1 });
});

test('a job that is reset after its result gives the same result', async () => {
  const job = await submitSimple(world);
  const before = await job.wait();
  await resetRun(world.temporal, job.id);
  const after = await job.wait();
  expect(after).toMatchObject({ status: 'succeeded' });
  expect(after).toMatchObject({ result: before.status === 'succeeded' ? before.result : undefined });
  await untilIdle(world);
  expect(await grantsByRun(job)).toMatchObject({ activated: 1, committed: 1 });
});
