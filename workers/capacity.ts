import { NativeConnection, Worker } from '@temporalio/worker';
import {
  capacityActivities,
  createObjectStore,
  createUpkeep,
  ensureSweepSchedule,
  heartbeats,
  parentActivities,
  sweepActivities,
  translateErrors,
} from '../activities/index.js';
import { TASK_QUEUES } from '../workflows/contract/index.js';
import { createParts } from './parts.js';
import { every, runProcess } from './process.js';

/** Parents that wait for a job they found: each costs a long poll at Temporal and an activity slot, nothing of Postgres. */
const ATTACHED_AT_ONCE = 200;

await runProcess('capacity-worker', async (configuration, log) => {
  const { temporal, bounds, bases, upkeep: intervals } = configuration;
  const parts = await createParts(configuration, log);
  const { capacity, delivery } = parts;
  await delivery.grants((await capacity.applyLimits(configuration.limits, configuration.leases)).grants);
  await delivery.grants((await capacity.applyNodes(configuration.nodeEntries)).grants);
  const { everyMs, ...kept } = configuration.retention;
  await parts.retention.apply(kept);

  const connection = await NativeConnection.connect({ address: temporal.address });
  const worker = await Worker.create({
    connection,
    namespace: temporal.namespace,
    taskQueue: TASK_QUEUES.capacity,
    activities: {
      ...capacityActivities({ capacity, delivery, bounds, bases, now: Date.now }),
      ...sweepActivities({
        ...parts,
        kept,
        store: createObjectStore(configuration.storage),
        leaseMs: bounds.leaseMs,
        log,
      }),
      ...parentActivities({ capacity, temporal: parts.temporal, attachedAtOnce: ATTACHED_AT_ONCE }),
    },
    interceptors: { activity: [() => ({ inbound: translateErrors }), () => ({ inbound: heartbeats })] },
    // Calls are short and queue at the scheduler's lock anyway; more would only hold database connections.
    maxConcurrentActivityTaskExecutions: configuration.postgres.connections * 4 + ATTACHED_AT_ONCE,
  });
  const running = worker.run();
  await ensureSweepSchedule(parts.temporal, everyMs);
  const upkeep = createUpkeep({ ...parts, log });
  const stopped = new AbortController();
  const loops = [
    every(intervals.sweepMs, stopped.signal, log, 'sweep', () => upkeep.sweep()),
    every(intervals.probeMs, stopped.signal, log, 'probe', () => upkeep.probe()),
  ];
  return {
    ready: { taskQueue: TASK_QUEUES.capacity },
    running,
    async stop() {
      stopped.abort();
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await Promise.all([running, ...loops]);
      await connection.close();
      await parts.close();
    },
  };
});
