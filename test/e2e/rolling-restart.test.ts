import { setMaxListeners } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { outcomeOf, startLoad } from '../chaos/load.js';
import { randomFrom } from '../chaos/random.js';
import { startDeployment, type Deployment } from '../support/deployment.js';
import { eventually } from '../support/eventually.js';
import { untilIdle } from '../support/jobs.js';

let deployment: Deployment;
beforeAll(async () => {
  deployment = await startDeployment();
});
afterAll(async () => {
  await deployment.close();
});

interface Restartable {
  readonly current: { stop(): Promise<void> } | undefined;
}

/** As an orchestrator does: SIGTERM, and the next one starts when it has ended. */
async function restart(process: Restartable): Promise<void> {
  const before = process.current ?? expect.fail('It does not run.');
  await before.stop();
  await eventually(
    () => process.current,
    (now) => now !== undefined && now !== before,
  );
}

test('Q32: every process is restarted in turn under load: no job fails, and none holds two sessions', async () => {
  const { workers, nodes, postgres, temporalServer } = deployment;
  const load = startLoad(deployment, randomFrom(1), { lanes: 6, cancelled: 0, terminated: 0 });
  await load.turn();
  const processes: readonly Restartable[] = [
    ...workers.map((worker) => worker.process),
    ...nodes.map((node) => node.process),
    postgres,
    temporalServer,
  ];
  for (const process of processes) {
    await restart(process);
    await load.turn();
  }
  await load.stop(60_000);
  const signal = AbortSignal.timeout(30_000);
  setMaxListeners(0, signal); // One a job.
  const outcomes = await Promise.all(load.jobs.map(({ id }) => outcomeOf(deployment, id, signal)));
  expect(outcomes.map((outcome) => outcome?.status)).toEqual(load.jobs.map(() => 'succeeded'));
  await untilIdle(deployment);
  expect(await deployment.drift()).toEqual([]);
}, 240_000);
