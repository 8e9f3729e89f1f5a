import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  boundariesOf,
  ONCE,
  startDoomedCapacityWorker,
  type DoomedCapacityWorker,
} from '../support/doomed-capacity-worker.js';
import { submitSimple, untilIdle } from '../support/jobs.js';
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

test.each(boundariesOf('apply_limits', 'apply_nodes', 'apply_retention'))(
  'SIGKILL of the capacity worker %s %s, at its start: the next one starts, and a job renders once',
  async (boundary, statement) => {
    const reached = doomed.stopAt(boundary, statement);
    await doomed.kill();
    await reached;
    doomed.killStarting();
    expect(await doomed.endOf(await submitSimple(world))).toEqual(ONCE);
  },
);

test.each(boundariesOf('request'))(
  'SIGKILL of the capacity worker %s %s: the job asks again, and renders once',
  async (boundary, statement) => {
    const reached = doomed.stopAt(boundary, statement);
    const job = await submitSimple(world);
    await reached;
    await doomed.kill();
    expect(await doomed.endOf(job)).toEqual(ONCE);
  },
);

test.each(boundariesOf('sweep', 'delivered'))(
  'SIGKILL of the capacity worker %s %s, when a grant is to be told: it is told by the next one, and renders once',
  async (boundary, statement) => {
    const job = await doomed.submitPaused();
    const reached = doomed.stopAt(boundary, statement);
    // Whoever gave this grant does not tell the job: that is left to the capacity worker's tick.
    await world.capacity.pause(false);
    await reached;
    await doomed.kill();
    expect(await doomed.endOf(job)).toEqual(ONCE);
  },
);

test.each(boundariesOf('snapshot', 'report_nodes'))(
  'SIGKILL of the capacity worker %s %s, when it looks after the nodes: a job renders once',
  async (boundary, statement) => {
    await doomed.stopAt(boundary, statement);
    await doomed.kill();
    expect(await doomed.endOf(await submitSimple(world))).toEqual(ONCE);
  },
);

test.each(boundariesOf('withdraw'))(
  'SIGKILL of the capacity worker %s %s: the cancelled job leaves the queue and holds nothing',
  async (boundary, statement) => {
    const job = await doomed.submitPaused();
    const reached = doomed.stopAt(boundary, statement);
    await job.cancel();
    await reached;
    await doomed.kill();
    await world.capacity.pause(false);
    expect(await doomed.endOf(job)).toMatchObject({
      status: 'cancelled',
      results: 0,
      objects: 0,
      ended: true,
      drift: [],
    });
  },
);

test.each(boundariesOf('release'))(
  'SIGKILL of the capacity worker %s %s, when it takes back the grant of a terminated workflow: nothing is held',
  async (boundary, statement) => {
    const job = await doomed.submitPaused();
    await world.temporal.workflow.getHandle(job.id).terminate('by an operator');
    const reached = doomed.stopAt(boundary, statement);
    await world.capacity.pause(false);
    await reached;
    await doomed.kill();
    expect(await doomed.endOf(job)).toMatchObject({
      status: 'cancelled',
      results: 0,
      objects: 0,
      ended: true,
      drift: [],
    });
  },
);
