import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { Logger } from 'pino';
import {
  createCloseSession,
  messageOf,
  sessionActivities,
  translateErrors,
  type CloseSession,
} from '../activities/index.js';
import { openWorkFolder } from '../infra/work-folder/index.js';
import { CONTRACT_VERSION, TASK_QUEUES } from '../workflows/contract/index.js';
import type { Configuration } from './configuration/index.js';
import { createParts, type Parts } from './parts.js';
import { every, runProcess, type Service } from './process.js';
import { Slot, SlotPool } from './slots/index.js';

const SLOT_PROGRAM = new URL('slots/main.js', import.meta.url);
const SLOT_FOLDERS = { prefix: 'darkroom-slots-', mention: (path: string) => `slots/main.js ${path}/` };
/** A worker counts as suspect when it has missed five of these. */
const RENEW_MS = 2_000;
/** Without it the SDK sends heartbeats only every 48 s, and a cancel arrives with a heartbeat only. */
const HEARTBEAT_THROTTLE = '1s';

await runProcess('render-worker', async (configuration, log) => {
  const { temporal, render } = configuration;
  // The boot id makes a restarted worker another worker: it never inherits what the one before it left.
  const id = `render-${randomBytes(6).toString('hex')}`;
  // Ends the slots of a dead predecessor before the first own one starts, so that a crash loop never adds up.
  const folder = await openWorkFolder(tmpdir(), SLOT_FOLDERS, log);
  const parts = await createParts(configuration, log);
  const startSlot = (): Promise<Slot> =>
    Slot.start({
      program: SLOT_PROGRAM,
      environment: process.env,
      folder: folder.next(),
      memoryMb: render.slotMemoryMb,
    });
  const [host, connection] = await Promise.all([
    SlotPool.start(render.slots, parts.nodes, log, startSlot),
    NativeConnection.connect({ address: temporal.address }),
  ]);
  const closeSession = createCloseSession({ ...parts, host, log });
  const worker = await Worker.create({
    connection,
    namespace: temporal.namespace,
    taskQueue: TASK_QUEUES.render(id),
    activities: sessionActivities({
      ...parts,
      worker: id,
      host,
      closeSession,
      heartbeatMs: render.heartbeatMs,
      leaseMs: configuration.bounds.leaseMs,
      log,
      random: Math.random,
    }),
    interceptors: { activity: [() => ({ inbound: translateErrors })] },
    // A session has at most one activity that works and one that closes; two sessions' worth more, so that a close always starts.
    maxConcurrentActivityTaskExecutions: 2 * (render.slots + 2),
    maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE,
    defaultHeartbeatThrottleInterval: HEARTBEAT_THROTTLE,
  });
  const running = worker.run();
  await register(parts, configuration, id);
  const stopped = new AbortController();
  const renewMs = Math.min(RENEW_MS, configuration.bounds.leaseMs / 4);
  const loop = every(renewMs, stopped.signal, log, 'renewal', () =>
    renew({ parts, host, closeSession, configuration, id, log }),
  );
  return {
    ready: { worker: id, slots: render.slots },
    running,
    async stop() {
      await drain(parts, host, id, render.drainMs, log);
      stopped.abort();
      await loop;
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await leave(parts, host, id);
      await running;
      await connection.close();
      await parts.close();
      await folder.remove();
    },
  } satisfies Service;
});

async function register({ capacity, delivery, nodes }: Parts, configuration: Configuration, id: string): Promise<void> {
  const { grants } = await capacity.registerWorker({
    worker: id,
    slots: configuration.render.slots,
    build: String(CONTRACT_VERSION),
    contractVersions: [CONTRACT_VERSION],
    zone: configuration.render.zone ?? null,
    nodeHashes: nodes.hashes,
  });
  await delivery.grants(grants);
}

interface Renewal {
  readonly parts: Parts;
  readonly host: SlotPool;
  readonly closeSession: CloseSession;
  readonly configuration: Configuration;
  readonly id: string;
  readonly log: Logger;
}

/** Renews all leases in one statement; ends sessions whose lease is lost, and those that no activity has used for long. */
async function renew({ parts, host, closeSession, configuration, id, log }: Renewal): Promise<void> {
  const held = host.sessions;
  const { lost, registered, grants } = await parts.capacity.renew(id, held);
  // Not awaited, here and below: a node or a Temporal that hangs must not keep the other sessions from being renewed.
  void parts.delivery.grants(grants);
  // Silent for so long that the scheduler has forgotten it.
  if (!registered) await register(parts, configuration, id);
  const { idleMs } = configuration.render;
  const isLost = new Set(lost.map(({ reservation }) => reservation));
  const ending = held.filter((session) => isLost.has(session.reservation) || session.idleMs > idleMs);
  for (const { reservation, idleMs: idle } of ending) log.warn({ reservation, idle }, 'ending a lost or idle session');
  for (const session of ending) {
    closeSession(session).catch((error: unknown) => {
      log.error({ reservation: session.reservation, error: messageOf(error) }, 'session did not close');
    });
  }
}

/** No new grants; what runs may end within the time. */
async function drain({ capacity }: Parts, host: SlotPool, id: string, drainMs: number, log: Logger): Promise<void> {
  const { used } = await capacity.drainWorker(id);
  if (used === 0) return;
  log.info({ used, drainMs }, 'draining');
  const endsAt = performance.now() + drainMs;
  const drained = new AbortController();
  await every(100, drained.signal, log, 'drain', async () => {
    const { reservations } = await capacity.snapshot();
    const running = reservations.some(({ worker, state }) => worker === id && state !== 'quarantined');
    if (!running || performance.now() > endsAt) drained.abort();
  });
  log.info({ left: host.sessions.length }, 'drained');
}

/** What still runs is killed, and its capacity stays counted until the node confirms. */
async function leave({ capacity }: Parts, host: SlotPool, id: string): Promise<void> {
  const left = host.sessions;
  await host.stop();
  await Promise.all(left.map((session) => capacity.quarantine(session, 'shutdown')));
  await capacity.removeWorker(id);
}
