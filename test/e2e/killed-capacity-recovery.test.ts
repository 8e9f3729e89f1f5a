import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  boundariesOf,
  ONCE,
  startDoomedCapacityWorker,
  type DoomedCapacityWorker,
} from '../support/doomed-capacity-worker.js';
import { killService, submitGated, submitSimple, untilIdle } from '../support/jobs.js';
import { sweepNow } from '../support/sweep.js';
import type { World } from '../support/world.js';

let world: World;
let doomed: DoomedCapacityWorker;
beforeAll(async () => {
  doomed = await startDoomedCapacityWorker();
  world = doomed.world;
});
afterEach(async () => {
  await untilIdle(world);
});
afterAll(async () => {
  await doomed.close();
});

test.each(boundariesOf('quarantine', 'confirm_gone'))(
  'SIGKILL of the capacity worker %s %s, when a render worker is lost: the second attempt renders once',
  async (boundary, statement) => {
    const gate = `${boundary}-${statement}`;
    const job = await submitGated(world, gate);
    await world.gates.reached(gate);
    const reached = doomed.stopAt(boundary, statement);
    await killService(world.renderWorkers.at(-1));
    await world.startRenderWorker();
    await reached;
    await doomed.kill();
    await world.gates.reached(gate, 2);
    world.gates.open(gate);
    expect(await doomed.endOf(job)).toEqual({ ...ONCE, attempts: 2 });
  },
);

test.each(boundariesOf('requeue'))(
  'SIGKILL of the capacity worker %s %s, when a grant finds no worker: the job gets another one, and renders once',
  async (boundary, statement) => {
    const job = await doomed.submitPaused();
    const reached = doomed.stopAt(boundary, statement);
    await killService(world.renderWorkers.at(-1));
    await world.capacity.pause(false);
    await reached;
    await world.startRenderWorker();
    await doomed.kill();
    expect(await doomed.endOf(job)).toEqual(ONCE);
  },
);

test.each(boundariesOf(['expired_results', 'uploads', 'open_tickets', 'forget'], ['clear_results', 'stored_results']))(
  'SIGKILL of the capacity worker %s %j of a sweep: the same run goes on, and sweeps once',
  async (boundary, names) => {
    const job = await submitSimple(world);
    expect(await doomed.endOf(job)).toEqual(ONCE);
    expect(await job.consume({ artifact: null, inputDigest: job.inputDigest, by: 'test' })).toMatchObject({
      state: 'consumed',
    });
    const before = (await world.objects()).length;
    const reached = names.map((name) => doomed.stopAt(boundary, name));
    const swept = sweepNow(world);
    await Promise.all(reached);
    await doomed.kill();
    expect((await swept).objects.missing).toBe(0);
    expect((await world.objects()).length).toBe(before - 1);
    const lines = (await world.capacity.ledger()).filter((line) => line.event === 'cleared' && line.job === job.id);
    expect(lines).toHaveLength(1);
    expect(await world.drift()).toEqual([]);
  },
);
