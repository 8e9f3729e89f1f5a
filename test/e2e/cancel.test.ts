import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sessionsOf, submitGated, submitSimple, untilIdle, untilQueued } from '../support/jobs.js';
import { startWorld, type World } from '../support/world.js';

const STATE = defineSearchAttributeKey('DarkroomState', SearchAttributeType.KEYWORD);

let world: World;
beforeAll(async () => {
  world = await startWorld({ sessions: 1 });
});
afterAll(async () => {
  await world.close();
});
afterEach(async () => {
  world.node.proxy.release();
  await untilIdle(world);
});

/** The job has ended, so its clean-up has: whatever it held must be back by now. */
async function expectCancelled(job: { id: string; wait(): Promise<{ status: string }> }): Promise<void> {
  expect(await job.wait()).toMatchObject({ status: 'cancelled', error: { code: 'cancelled' } });
  const { typedSearchAttributes } = await world.temporal.workflow.getHandle(job.id).describe();
  expect(typedSearchAttributes.get(STATE)).toBe('cancelled');
  const { reservations } = await world.capacity.snapshot();
  expect(reservations.filter((reservation) => reservation.job === job.id)).toEqual([]);
}

test('a job that is cancelled while it waits leaves the queue, and the one before it is not disturbed', async () => {
  const first = await submitGated(world, 'first');
  await world.gates.reached('first');
  const waiting = await submitSimple(world);
  await untilQueued(world);
  await waiting.cancel();
  await expectCancelled(waiting);
  expect((await world.capacity.snapshot()).waiting).toEqual({ interactive: 0, background: 0 });
  world.gates.open('first');
  expect(await first.wait()).toMatchObject({ status: 'succeeded' });
});

test('a job that is cancelled while it connects gives its capacity back', async () => {
  world.node.proxy.hold('/chromium');
  const job = await submitSimple(world);
  await world.node.proxy.held();
  await job.cancel();
  await expectCancelled(job);
});

test('H5: a job that is cancelled while it captures ends its session on the node', async () => {
  const job = await submitGated(world, 'never');
  await world.gates.reached('never');
  expect(await sessionsOf(world)).toHaveLength(1);
  await job.cancel();
  await expectCancelled(job);
  expect(await sessionsOf(world)).toEqual([]);
});

test('cancelling a job that has ended changes nothing', async () => {
  const job = await submitSimple(world);
  expect(await job.wait()).toMatchObject({ status: 'succeeded' });
  await job.cancel();
  expect(await job.wait()).toMatchObject({ status: 'succeeded' });
});
