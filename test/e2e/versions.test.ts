import { afterAll, beforeAll, expect, test } from 'vitest';
import { darkroom as runCli, type Ended } from '../support/cli.js';
import { eventually } from '../support/eventually.js';
import { submitGated, submitSimple, untilIdle } from '../support/jobs.js';
import { startWorld, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world.close();
});

async function versions(...args: readonly string[]): Promise<Ended> {
  return await runCli(world.configuration, ['versions', ...args, '--json']);
}

/** Builds whose code decided for the job, in order; null is code without a build id. */
async function buildsOf(id: string): Promise<readonly (string | null)[]> {
  const { events } = await world.temporal.workflow.getHandle(id).fetchHistory();
  const builds = (events ?? []).flatMap(({ workflowTaskCompletedEventAttributes: decided }) =>
    decided ? [decided.deploymentVersion?.buildId ?? null] : [],
  );
  return [...new Set(builds)];
}

test('versions list says that no worker has a build, and promote refuses one that no worker has', async () => {
  expect(await versions('list')).toMatchObject({ code: 0, stdout: '[]\n' });
  const { code, stderr } = await versions('promote', 'a');
  expect([code, stderr]).toEqual([2, expect.stringContaining('No workflow worker with build a')]);
});

test('a job stays with the build that started it, and a new one starts on the promoted build', async () => {
  const first = await world.startWorkflowWorker('a');
  await eventually(
    () => versions('list'),
    ({ stdout }) => stdout.includes('"a"'),
  );
  expect(await versions('promote', 'a')).toMatchObject({ code: 0 });
  const old = await submitGated(world, 'old');
  await world.gates.reached('old');

  await world.startWorkflowWorker('b');
  await eventually(
    () => versions('list'),
    ({ stdout }) => stdout.includes('"b"'),
  );
  expect(await versions('promote', 'b')).toMatchObject({ code: 0 });
  const next = await submitSimple(world);
  expect(await next.wait()).toMatchObject({ status: 'succeeded', attempts: 1 });
  expect(await buildsOf(next.id)).toEqual(['b']);

  world.gates.open('old');
  expect(await old.wait()).toMatchObject({ status: 'succeeded', attempts: 1 });
  expect(await buildsOf(old.id)).toEqual(['a']);
  const { stdout } = await versions('list');
  expect(JSON.parse(stdout)).toEqual(
    expect.arrayContaining([
      { build: 'a', status: 'draining' },
      { build: 'b', status: 'current' },
    ]),
  );
  await first.stop();
  await untilIdle(world);
});
