import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startOptions, storedObjects, SWEEP_SCHEDULE, workflowTypeOf } from '../../workflows/contract/index.js';
import { prepareJob } from '../../workflows/contract/schema/index.js';
import type { JobHandle, SubmittedJob } from '../../client/index.js';
import { eventually } from '../support/eventually.js';
import { SIMPLE, submitGated, submitSimple, untilIdle, untilQueued } from '../support/jobs.js';
import { resetRun } from '../support/reset.js';
import { sweepNow } from '../support/sweep.js';
import { startWorld, type World } from '../support/world.js';

const KEPT = { workspace: 'w1', user: 'u1', key: 'kept', input: SIMPLE };

let world: World;
beforeAll(async () => {
  world = await startWorld({ sessions: 1, bounds: { leaseMs: 2_000 }, retention: { consumedMs: 1 } });
});
afterAll(async () => {
  await world.close();
});
afterEach(() => untilIdle(world));

async function keyOf(job: JobHandle<'page_screenshot'>): Promise<string> {
  const outcome = await job.wait();
  if (outcome.status !== 'succeeded') throw new Error(`the job ${outcome.status}`);
  const [{ key } = expect.fail('A screenshot has an object.')] = Object.values(storedObjects(outcome.result));
  return key;
}

async function rendered(job: SubmittedJob<'page_screenshot'>) {
  const expected = { artifact: null, inputDigest: job.inputDigest, by: 'publisher' };
  return { key: await keyOf(job), expected };
}

/** As when Temporal's own retention is over: there, the key is free again. */
async function submitAnew(submission: typeof KEPT): Promise<JobHandle<'page_screenshot'>> {
  const prepared = prepareJob('page_screenshot', submission, (text) => createHash('sha256').update(text).digest('hex'));
  if (prepared.state === 'refused') throw new Error(prepared.problem.detail);
  const { id } = prepared;
  await eventually(
    () => world.temporal.workflow.getHandle(id).describe(),
    ({ status }) => status.name === 'COMPLETED',
  );
  const options = { ...startOptions(prepared), workflowIdReusePolicy: 'ALLOW_DUPLICATE' } as const;
  await world.temporal.workflow.start(workflowTypeOf(prepared), options);
  return world.darkroom.job(id);
}

test('a schedule sweeps, one run at a time', async () => {
  const { spec, policies, action } = await world.temporal.schedule.getHandle(SWEEP_SCHEDULE).describe();
  expect(spec.intervals).toMatchObject([{ every: 86_400_000 }]);
  expect(policies.overlap).toBe('SKIP');
  expect(action).toMatchObject({ workflowType: 'sweep', taskQueue: 'darkroom-workflows' });
});

test('a consumed result is deleted with its objects; what stays is that it was there', async () => {
  const [job, other] = [await submitSimple(world), await submitSimple(world)];
  const { key, expected } = await rendered(job);
  const unconsumed = await rendered(other);
  await untilIdle(world);
  expect(await sweepNow(world)).toMatchObject({ cleared: 0, objects: { orphans: 0, missing: 0 } });
  expect(await world.objects()).toContain(key);
  expect(await job.consume(expected)).toMatchObject({ state: 'consumed' });
  expect(await sweepNow(world)).toMatchObject({ cleared: 1 });
  expect(await world.objects()).toEqual([unconsumed.key]);
  const refused = { state: 'refused', error: { code: 'result_expired' } };
  expect(await job.consume(expected)).toMatchObject(refused);
  expect(await sweepNow(world)).toMatchObject({ cleared: 0 });
  expect(await other.consume(unconsumed.expected)).toMatchObject({ state: 'consumed' });
});

test('a key outlives what Temporal keeps: its job is not rendered again, also when its result is gone', async () => {
  const job = await world.darkroom.submit('page_screenshot', KEPT);
  const { key, expected } = await rendered(job);
  const again = await submitAnew(KEPT);
  expect(await keyOf(again)).toBe(key);
  await job.consume(expected);
  await sweepNow(world);
  const late = await submitAnew(KEPT);
  expect(await late.wait()).toMatchObject({ status: 'failed', error: { code: 'result_expired', layer: 'job' } });
  const granted = (await world.capacity.ledger()).filter((line) => line.job === job.id && line.event === 'granted');
  expect(granted).toHaveLength(1);
});

test('a late upload of a lost attempt is deleted; objects of others, and of who is unknown but new, are not', async () => {
  const job = await submitGated(world, 'reset');
  await world.gates.reached('reset');
  const [lost] = (await world.capacity.snapshot()).reservations;
  await resetRun(world.temporal, job.id);
  await eventually(
    () => world.capacity.snapshot(),
    ({ reservations: [now] }) => now !== undefined && now.reservation !== lost?.reservation,
  );
  world.gates.open('reset');
  const { key } = await rendered(job);
  const [folder = ''] = key.split('/');
  const orphan = `${folder}/${lost?.reservation ?? ''}/late.png`;
  const unknown = `${folder}/${'0'.repeat(26)}/new.png`;
  for (const each of [orphan, unknown, 'readme.txt']) await world.putObject(each);
  expect((await sweepNow(world)).objects).toMatchObject({ orphans: 1, missing: 0, next: '' });
  expect(await world.objects()).toEqual(expect.arrayContaining([key, unknown, 'readme.txt']));
  expect(await world.objects()).not.toContain(orphan);
  for (const each of [unknown, 'readme.txt']) await world.removeObject(each);
});

test('a result whose objects are gone is told as expired, not handed over', async () => {
  const job = await submitSimple(world);
  const { key, expected } = await rendered(job);
  await untilIdle(world);
  await world.removeObject(key);
  expect((await sweepNow(world)).objects).toMatchObject({ missing: 1 });
  expect(await job.consume(expected)).toMatchObject({ state: 'refused', error: { code: 'result_expired' } });
  const lines = (await world.capacity.ledger()).filter(({ event, job: id }) => event === 'cleared' && id === job.id);
  expect(lines).toMatchObject([{ reason: 'objects_missing' }]);
});

test('what a terminated workflow waits for is given back long before its queue deadline', async () => {
  const blocker = await submitGated(world, 'blocks');
  await world.gates.reached('blocks');
  const queued = await submitSimple(world);
  await untilQueued(world);
  await world.temporal.workflow.getHandle(queued.id).terminate('by an operator');
  const swept = await eventually(
    () => sweepNow(world),
    ({ workflows }) => workflows.closed > 0,
  );
  expect(swept.workflows).toEqual({ asked: 2, closed: 1 });
  expect((await world.capacity.snapshot()).waiting).toEqual({ interactive: 0, background: 0 });
  expect((await sweepNow(world)).workflows).toEqual({ asked: 1, closed: 0 });
  world.gates.open('blocks');
  expect(await blocker.wait()).toMatchObject({ status: 'succeeded', attempts: 1 });
});
