import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JobHandle } from '../../client/index.js';
import {
  canonicalExpectation,
  CONSUME_WORKFLOW,
  consumeId,
  jobId,
  kindOfJob,
  SWEEP_SCHEDULE,
  SWEEP_WORKFLOW,
  TASK_QUEUES,
  WORKFLOW_TYPES,
  type Job,
  type Kind,
} from '../../workflows/contract/index.js';
import { pageScreenshotInput } from '../../workflows/contract/schema/index.js';
import { historyToJson } from '../../workers/replay/proto-json.js';
import { sha256 } from '../../client/sha256.js';
import { eventually } from '../support/eventually.js';
import { holderOf, SIMPLE, submitGated, submitSimple, untilIdle, untilQueued } from '../support/jobs.js';
import { resetRun } from '../support/reset.js';
import { sweepNow } from '../support/sweep.js';
import { startWorld, type World } from '../support/world.js';
import { HISTORIES, historyFile, OUTCOMES, type OutcomeName } from './outcomes.js';
import { scrub, thisMachine } from './scrub.js';

/** Golden histories, one a scenario, from the real server; the faults are real too. `npm run goldens` runs this. */
const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url)).slice(0, -1);
const WANTED = Object.entries(OUTCOMES).flatMap(([type, outcomes]) => outcomes.map((one) => historyFile(type, one)));
const CALLER = { workspace: 'w1', user: 'u1' };

beforeAll(() => {
  mkdirSync(HISTORIES, { recursive: true });
  for (const name of readdirSync(HISTORIES)) if (!WANTED.includes(name)) rmSync(`${HISTORIES}${name}`);
});
afterAll(() => {
  expect(readdirSync(HISTORIES).sort()).toEqual([...WANTED].sort());
});

async function record(world: World, job: Pick<JobHandle, 'id'>, outcome: OutcomeName, runId?: string): Promise<void> {
  await recordAs(WORKFLOW_TYPES[kindOfJob(job.id) as Kind], world, job, outcome, runId);
}

async function recordAs(
  type: keyof typeof OUTCOMES,
  world: World,
  job: Pick<JobHandle, 'id'>,
  outcome: OutcomeName,
  runId?: string,
): Promise<void> {
  const history = await world.temporal.workflow.getHandle(job.id, runId).fetchHistory();
  const machine = thisMachine([CHECKOUT, world.folder, tmpdir()]);
  writeFileSync(`${HISTORIES}${historyFile(type, outcome)}`, scrub(historyToJson(history), machine));
}

/** Waits for the workflow's own end: a result comes before its session is closed. */
async function ended(world: World, job: JobHandle): Promise<void> {
  await job.wait();
  await world.temporal.workflow
    .getHandle(job.id)
    .result()
    .catch(() => undefined); // How it ended is what `wait` told.
}

async function failed(world: World, job: JobHandle, code: OutcomeName): Promise<void> {
  expect(await job.wait()).toMatchObject({ status: 'failed', error: { code } });
  await ended(world, job);
  await record(world, job, code);
}

async function submitPath(world: World, path: string, more: object = {}): Promise<JobHandle> {
  const input = { target: { base: 'pages', path }, ...more };
  return await world.darkroom.submit('page_screenshot', { ...CALLER, operation: path, input });
}

async function withWorld(options: Parameters<typeof startWorld>[0], work: (world: World) => Promise<void>) {
  const world = await startWorld(options);
  try {
    await work(world);
  } finally {
    await world.close();
  }
}

test('a deployment with one session', async () => {
  await withWorld({ sessions: 1 }, async (world) => {
    await successes(world);
    await refusals(world);
    await cancels(world);
    await resets(world);
    await failures(world);
  });
});

test('a deployment with short queues', async () => {
  const limits = { waiting: 3, waitingPerWorkspace: 2, waitingPerUser: 1 };
  await withWorld({ sessions: 1, limits }, fullQueues);
});

const DIAGNOSED = [
  ['page_diagnostics', '/faults/index.html'],
  ['component_diagnostics', '/host.html'],
] as const;

test('a deployment that diagnoses', async () => {
  await withWorld({ sessions: 1 }, async (world) => {
    for (const [kind, good] of DIAGNOSED) {
      const diagnose = async (path: string): Promise<JobHandle> =>
        await world.darkroom.submit(kind, { ...CALLER, input: { target: { base: 'pages', path } } });
      const job = await diagnose(good);
      await ended(world, job);
      await record(world, job, 'succeeded');
      await failed(world, await diagnose('/gone'), 'target_gone');
    }
  });
});

test('a result that is consumed', async () => {
  await withWorld({ sessions: 1 }, async (world) => {
    const job = await world.darkroom.submit('page_screenshot', { ...CALLER, input: SIMPLE });
    await ended(world, job);
    const expectation = { artifact: null, inputDigest: job.inputDigest, by: 'publisher' };
    expect(await job.consume(expectation)).toMatchObject({ state: 'consumed' });
    const id = consumeId(job.id, sha256(canonicalExpectation(expectation)));
    await recordAs(CONSUME_WORKFLOW, world, { id }, 'consumed');
  });
});

test('two sweeps', async () => {
  await withWorld({ sessions: 1 }, async (world) => {
    const schedule = world.temporal.schedule.getHandle(SWEEP_SCHEDULE);
    for (const outcome of ['first', 'next'] as const) {
      await sweepNow(world);
      const { action } = (await schedule.describe()).info.recentActions.at(-1) ?? expect.fail('It did not run.');
      const { workflowId, firstExecutionRunId } = action.workflow;
      await recordAs(SWEEP_WORKFLOW, world, { id: workflowId }, outcome, firstExecutionRunId);
    }
  });
});

async function successes(world: World): Promise<void> {
  const job = await submitSimple(world);
  await ended(world, job);
  await record(world, job, 'succeeded');

  const blocker = await submitGated(world, 'blocker');
  await world.gates.reached('blocker');
  await record(world, blocker, 'running');
  const queued = await submitSimple(world);
  await untilQueued(world);
  world.gates.open('blocker');
  await ended(world, queued);
  await record(world, queued, 'queued_then_granted');
  await untilIdle(world);

  // The node's one session is taken behind the scheduler's back.
  const { endpoint, token } = world.node;
  const occupant = await chromium.connectOverCDP(`${endpoint}?token=${token}&trackingId=occupant`);
  const refused = await submitSimple(world);
  await eventually(
    () => world.capacity.ledger(),
    (ledger) => ledger.some(({ job: id, event }) => id === refused.id && event === 'requeued'),
  );
  await occupant.close();
  await ended(world, refused);
  await record(world, refused, 'refused_then_granted');
  await untilIdle(world);
}

async function refusals(world: World): Promise<void> {
  await failed(world, await submitPath(world, '/../outside'), 'target_forbidden');
  const input = pageScreenshotInput.parse(SIMPLE);
  const job: Job = {
    v: 1,
    kind: 'page_screenshot',
    class: 'interactive',
    ...CALLER,
    inputDigest: '0'.repeat(64),
    input,
  };
  const id = jobId('page_screenshot', 'w1', 'ab'.repeat(32));
  // As a parent that starts the child workflow itself: the digest is not the input's.
  await world.temporal.workflow.start('pageScreenshot', {
    workflowId: id,
    taskQueue: TASK_QUEUES.workflows,
    args: [job],
  });
  await failed(world, world.darkroom.job(id), 'invalid_input');
}

async function cancels(world: World): Promise<void> {
  const capturing = await submitGated(world, 'never');
  await world.gates.reached('never');
  const queued = await submitSimple(world);
  await untilQueued(world);
  await queued.cancel();
  await ended(world, queued);
  await record(world, queued, 'cancelled_queued');
  await capturing.cancel();
  await ended(world, capturing);
  await record(world, capturing, 'cancelled_capturing');
  await untilIdle(world);

  world.node.proxy.hold('/chromium');
  const connecting = await submitSimple(world);
  await world.node.proxy.held();
  await connecting.cancel();
  await ended(world, connecting);
  await record(world, connecting, 'cancelled_connecting');
  world.node.proxy.release();
  await untilIdle(world);
}

async function resets(world: World): Promise<void> {
  const blocker = await submitGated(world, 'before-reset');
  await world.gates.reached('before-reset');
  const queued = await submitSimple(world);
  await untilQueued(world);
  await resetRun(world.temporal, queued.id);
  world.gates.open('before-reset');
  await ended(world, blocker);
  await ended(world, queued);
  await record(world, queued, 'reset_queued');

  const capturing = await submitGated(world, 'resetting');
  await world.gates.reached('resetting');
  const { runId } = await world.temporal.workflow.getHandle(capturing.id).describe();
  await resetRun(world.temporal, capturing.id);
  await record(world, capturing, 'terminated', runId);
  await world.gates.reached('resetting', 2);
  world.gates.open('resetting');
  await ended(world, capturing);
  await record(world, capturing, 'reset_capturing');
  await untilIdle(world);
}

async function failures(world: World): Promise<void> {
  await failed(world, await submitPath(world, '/nothing-here'), 'target_gone');
  const status = { target: { base: 'pages', path: '/status', query: { status: '503' } } };
  const broken = await world.darkroom.submit('page_screenshot', { ...CALLER, operation: 'status', input: status });
  await failed(world, broken, 'http_error');
  const area = { area: { type: 'element', selector: '#nowhere' } };
  await failed(world, await submitPath(world, '/simple.html', area), 'selector_not_found');
  const slow = await submitGated(world, 'slow', { bounds: { attemptMs: 3_000 } });
  await failed(world, slow, 'attempt_timeout');
  const late = await submitGated(world, 'late', { bounds: { totalMs: 3_000 } });
  await failed(world, late, 'deadline_exceeded');
  await untilIdle(world);
}

async function fullQueues(world: World): Promise<void> {
  const blocker = await submitGated(world, 'full');
  await world.gates.reached('full');
  const timed = await submitSimple(world, { bounds: { queueMs: 1_000 } });
  await failed(world, timed, 'queue_timeout');
  const waiting = [await submitSimple(world)];
  await untilQueued(world, 1);
  await failed(world, await submitSimple(world), 'user_queue_full');
  waiting.push(await submitSimple(world, { user: 'u2' }));
  await untilQueued(world, 2);
  await failed(world, await submitSimple(world, { user: 'u3' }), 'workspace_queue_full');
  waiting.push(await submitSimple(world, { workspace: 'w2', user: 'u4' }));
  await untilQueued(world, 3);
  await failed(world, await submitSimple(world, { workspace: 'w3', user: 'u5' }), 'queue_full');
  for (const job of [blocker, ...waiting]) await job.cancel();
  await untilIdle(world);
}

test('a worker that is killed', async () => {
  await withWorld({ sessions: 1, renderWorkers: 2 }, async (world) => {
    const job = await submitGated(world, 'killed');
    await world.gates.reached('killed');
    const victim = await holderOf(world);
    process.kill(victim?.pid ?? expect.fail('No worker holds the reservation.'), 'SIGKILL');
    await world.gates.reached('killed', 2);
    world.gates.open('killed');
    await ended(world, job);
    await record(world, job, 'worker_lost_then_succeeded');
    await untilIdle(world);
  });
});

/** So seldom that jobs find out first. */
const unprobed = { probeMs: 60_000 };

test('a node that answers too late', async () => {
  await withWorld({ sessions: 1, bounds: { connectMs: 1_500 } }, async (world) => {
    world.node.proxy.hold('/chromium');
    await failed(world, await submitSimple(world), 'connect_timeout');
  });
});

test('a node that refuses its token', async () => {
  await withWorld({ sessions: 1, node: { token: { env: 'PATH' } }, upkeep: unprobed }, async (world) => {
    await failed(world, await submitSimple(world), 'node_auth_failed');
  });
});

test('a node that is gone', async () => {
  await withWorld({ sessions: 1, direct: true, upkeep: unprobed }, async (world) => {
    await world.node.stop();
    await failed(world, await submitSimple(world, { bounds: { queueMs: 5_000 } }), 'browser_unavailable');
  });
});
