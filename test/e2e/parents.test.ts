import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Outcome } from '../../client/index.js';
import { jobId, type Job, type JobResult } from '../../workflows/contract/index.js';
import { prepareJob } from '../../workflows/contract/schema/index.js';
import { eventually } from '../support/eventually.js';
import { SIMPLE, submitGated, untilIdle } from '../support/jobs.js';
import { startParents, type Parents } from '../support/parents.js';
import type { Waited } from '../support/parent-workflows.js';
import { startWorld, type World } from '../support/world.js';

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

/** A job of each test's own, whose page is held back until the gate of its name opens. */
let name: string;
let names = 0;
beforeEach(() => {
  names += 1;
  name = `gate-${String(names)}`;
});

const caller = { workspace: 'w1', user: 'u1' };

function gated() {
  return {
    ...caller,
    key: name,
    input: {
      target: { base: 'gates', path: `/gated/${name}` },
      page: { waitFor: [{ type: 'ready' as const, ms: 60_000 }] },
    },
  };
}

const simple = () => ({ ...caller, key: name, input: SIMPLE });

async function statusOf(id: string): Promise<string> {
  return (await world.temporal.workflow.getHandle(id).describe()).status.name;
}

test('a parent that is terminated while its job runs has it cancelled, and its capacity comes back', async () => {
  const parent = await parents.start('startAndWait', [gated()]);
  await world.gates.reached(name);
  const [held] = (await world.capacity.snapshot()).reservations;
  await world.temporal.workflow.getHandle(parent.workflowId).terminate('test');
  const job = world.darkroom.job(held?.job ?? '');
  expect(await job.wait()).toMatchObject({ status: 'cancelled' });
  await untilIdle(world);
});

test('a parent that is cancelled ends as cancelled, after the job that it started', async () => {
  const parent = await parents.start('startAndWait', [gated()]);
  await world.gates.reached(name);
  const [held] = (await world.capacity.snapshot()).reservations;
  await world.temporal.workflow.getHandle(parent.workflowId).cancel();
  await expect(parent.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  expect(await statusOf(held?.job ?? '')).toBe('CANCELLED');
  expect((await world.capacity.snapshot()).running).toBe(0);
});

test('a parent that only found the job is told its outcome; cancelled, it leaves the job alone', async () => {
  const job = await submitGated(world, name, { key: name });
  await world.gates.reached(name);
  const waiting = await parents.start<Waited>('startAndWait', [gated()]);
  const leaving = await parents.start<Waited>('startAndWait', [gated()]);
  await untilAttached(leaving.workflowId);
  await world.temporal.workflow.getHandle(leaving.workflowId).cancel();
  await expect(leaving.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  world.gates.open(name);
  const outcome = await job.wait();
  expect(outcome).toMatchObject({ status: 'succeeded' });
  expect(await waiting.result()).toEqual({ id: job.id, started: false, outcome });
});

/** PENDING_ACTIVITY_STATE_STARTED */
const STARTED = 2;

/** The activity that waits for the job stands in the parent's description once it runs. */
async function untilAttached(workflowId: string): Promise<void> {
  await eventually(
    async () => (await world.temporal.workflow.getHandle(workflowId).describe()).raw.pendingActivities ?? [],
    (pending) =>
      pending.some(({ activityType, state }) => activityType?.name === 'attachJob' && Number(state) === STARTED),
  );
}

test('a job that its parent let go outlives the cancel of the parent', async () => {
  const parent = await parents.start('startAndDetach', [gated()]);
  await world.gates.reached(name);
  const [held] = (await world.capacity.snapshot()).reservations;
  await world.temporal.workflow.getHandle(parent.workflowId).cancel();
  await expect(parent.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  world.gates.open(name);
  expect(await world.darkroom.job(held?.job ?? '').wait()).toMatchObject({ status: 'succeeded' });
});

test('a parent that cancels its job is told so as an outcome; cancelling again changes nothing', async () => {
  const parent = await parents.start<Outcome>('startAndCancel', [gated()]);
  await world.gates.reached(name);
  await world.temporal.workflow.getHandle(parent.workflowId).signal('cancelJob');
  expect(await parent.result()).toMatchObject({ status: 'cancelled', error: { code: 'cancelled' } });
});

test('a key that stands for another input is idempotency_conflict', async () => {
  const first = await parents.start<Waited>('startAndWait', [simple()]);
  expect(await first.result()).toMatchObject({ started: true, outcome: { status: 'succeeded' } });
  const other = { ...simple(), input: { ...SIMPLE, area: { type: 'full_page' } } };
  const conflict = await parents.start('startAndWait', [other]);
  await expect(conflict.result()).rejects.toMatchObject({ cause: { type: 'idempotency_conflict' } });
});

test.each([
  ['invalid_input', { target: { base: 'pages', path: 'no-slash' } }],
  ['unsupported_option', { ...SIMPLE, script: 'alert(1)' }],
])('what is %s fails the parent before there is a job', async (code, input) => {
  const parent = await parents.start('startAndWait', [{ ...simple(), input }]);
  await expect(parent.result()).rejects.toMatchObject({ cause: { type: code } });
});

test('a job’s own failure is an outcome to who waits, and fails who asked for just the picture, with its code', async () => {
  const gone = { ...simple(), input: { target: { base: 'pages', path: '/nothing-here' } } };
  const waited = await (await parents.start<Waited>('startAndWait', [gone])).result();
  expect(waited.outcome).toMatchObject({ status: 'failed', attempts: 1, error: { code: 'target_gone' } });
  await expect((await parents.start('picture', [gone])).result()).rejects.toMatchObject({
    cause: { type: 'target_gone' },
  });
  await expect((await parents.start('diagnosis', [gone])).result()).rejects.toMatchObject({
    cause: { type: 'target_gone' },
  });
});

test('a diagnosis that finds no capacity is unavailable with a warning', async () => {
  await world.capacity.pause(true);
  const parent = await parents.start('diagnosis', [{ ...simple(), bounds: { queueMs: 500 } }]);
  expect(await parent.result()).toMatchObject({ status: 'unavailable', warning: { code: 'queue_timeout' } });
  await world.capacity.pause(false);
});

test('a parent that starts the workflow by hand gets the result', async () => {
  const { id, job } = prepared();
  const parent = await parents.start<JobResult>('byHand', [id, job]);
  expect(await parent.result()).toMatchObject({ kind: 'page_screenshot', attempts: 1 });
  expect(await world.darkroom.job(id).wait()).toMatchObject({ status: 'succeeded' });
});

test.each<readonly [string, (job: Job) => unknown]>([
  ['nothing at all', () => null],
  ['no target', (job) => ({ ...job, input: {} })],
  ['an unknown kind', (job) => ({ ...job, kind: 'page_video' })],
  ['a bound that is no number', (job) => ({ ...job, bounds: { queueMs: 'soon' } })],
  ['no user', ({ user: _, ...job }) => job],
  ['another digest', (job) => ({ ...job, inputDigest: '0'.repeat(64) })],
])('a job that is started by hand with %s is invalid_input', async (_, spoil) => {
  const { id, job } = prepared();
  const parent = await parents.start('byHand', [id, spoil(job)]);
  await expect(parent.result()).rejects.toMatchObject({ cause: { cause: { type: 'invalid_input' } } });
});

function prepared(): { id: string; job: Job } {
  const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
  const made = prepareJob('page_screenshot', simple(), sha256);
  if (made.state === 'refused') throw new Error(made.problem.detail);
  return { id: jobId('page_screenshot', 'w1', sha256(name)), job: made.job };
}
