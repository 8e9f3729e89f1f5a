import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { Client as Minio } from 'minio';
import type pg from 'pg';
import { stringify } from 'yaml';
import {
  StackGuardian,
  startObjectStore,
  startPostgres,
  startTemporal,
  type PostgresService,
  type TemporalService,
  type WorkerName,
} from '../../infra/stack/index.js';
import { createDarkroom, type Darkroom } from '../../client/index.js';
import { createCapacity, type Capacity } from '../../scheduler/index.js';
import { findDrift } from '../scheduler/drift.js';
import {
  portOf,
  SESSION_LIMIT_MS,
  SESSIONS,
  startChaosNode,
  startChaosWorker,
  type ChaosNode,
  type ChaosWorker,
  type Ground,
} from './deployment-parts.js';
import { startFaultProxy, type FaultProxy } from './fault-proxy.js';
import { startFixtureServer } from './fixture-server.js';
import { startGateServer, type GateServer } from './gate-server.js';
import { keysIn } from './objects.js';
import { createDatabase } from './postgres.js';
import { Supervised } from './supervised.js';
import { temporalProgram } from './temporal-program.js';

/** A deployment on servers of its own, each of which can be killed, and each of which is reached through a proxy. */
export interface Deployment {
  readonly folder: string;
  readonly darkroom: Darkroom;
  readonly temporal: Client;
  readonly capacity: Capacity;
  readonly pool: pg.Pool;
  readonly postgres: Supervised<PostgresService>;
  readonly temporalServer: Supervised<TemporalService>;
  readonly temporalNetwork: FaultProxy;
  readonly storage: FaultProxy;
  readonly store: Minio;
  readonly bucket: string;
  readonly nodes: readonly ChaosNode[];
  readonly workers: readonly ChaosWorker[];
  readonly gates: GateServer;
  /** What the scheduler counts otherwise than its rows say. */
  drift(): Promise<readonly unknown[]>;
  /** Keys of all objects in the bucket. */
  objects(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export const LIMITS = { running: 4, runningPerWorker: 2, runningPerUser: 2, runningPerWorkspace: 3 };
const BOUNDS = { leaseMs: 4_000, recheckMs: 1_000, connectMs: 6_000, attemptMs: 18_000, totalMs: 90_000 };
const WORKERS: readonly WorkerName[] = [
  'capacity-worker',
  'capacity-worker',
  'workflow-worker',
  'workflow-worker',
  'render-worker',
  'render-worker',
];

export interface DeploymentOptions {
  /** Over the short bounds that chaos runs with. */
  readonly bounds?: Readonly<Record<string, number>>;
  /** Called once with the new database, before any worker starts. */
  readonly prepare?: (pool: pg.Pool) => Promise<void>;
}

export async function startDeployment({ bounds, prepare }: DeploymentOptions = {}): Promise<Deployment> {
  const guardian = await StackGuardian.start();
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-chaos-'));
  guardian.removeAtEnd(folder);
  await chmod(folder, 0o711);
  const undo: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
    await guardian.end();
    await rm(folder, { recursive: true, force: true });
  };
  const add = async <T>(thing: Promise<T>, stop: (made: T) => Promise<unknown>): Promise<T> => {
    const made = await thing;
    undo.push(() => stop(made));
    return made;
  };
  const ground: Ground = {
    own: async (name) => {
      const path = join(folder, name);
      await mkdir(path, { recursive: true, mode: 0o711 });
      return { folder: path, guardian };
    },
    proxy: () => add(startFaultProxy(), (made) => made.close()),
    supervise: (start) => add(Supervised.start(start), (made) => made.stop()),
    defer: (step) => void undo.push(step),
  };

  try {
    const [toPostgres, toTemporal, toStorage] = [await ground.proxy(), await ground.proxy(), await ground.proxy()];
    const postgresOptions = await ground.own('postgres');
    const postgres = await ground.supervise(async () => {
      const server = await startPostgres(postgresOptions);
      toPostgres.target(portOf(server.url));
      return server;
    });
    const temporalOptions = { ...(await ground.own('temporal')), program: await temporalProgram() };
    const temporalServer = await ground.supervise(async () => {
      const server = await startTemporal(temporalOptions);
      toTemporal.target(portOf(server.address));
      return server;
    });
    const objects = await add(startObjectStore(await ground.own('storage')), (made) => made.stop());
    toStorage.target(portOf(objects.endpoint));
    const pages = await add(startFixtureServer(), (made) => made.close());
    const gates = await add(startGateServer(), (made) => made.close());

    const adminUrl = new URL(postgres.current?.url ?? '');
    adminUrl.port = String(toPostgres.port);
    // Not closed: its server goes with it.
    const database = await createDatabase(adminUrl.href);
    const pool = database.connect();
    undo.push(() => pool.end());
    await prepare?.(pool);

    const nodes = await Promise.all(['node-1', 'node-2'].map((id) => startChaosNode(ground, id)));
    const configuration = join(folder, 'darkroom.yaml');
    const databaseUrl = new URL(database.url);
    const document = {
      temporal: { address: `127.0.0.1:${String(toTemporal.port)}` },
      postgres: { url: databaseUrl.href },
      storage: {
        endpoint: `http://127.0.0.1:${String(toStorage.port)}`,
        region: objects.region,
        bucket: objects.bucket,
        accessKey: objects.accessKey,
        secretKey: objects.secretKey,
      },
      nodes: nodes.map(({ id, network, tokenFile }) => ({
        id,
        endpoint: `ws://127.0.0.1:${String(network.port)}/chromium`,
        token: { file: tokenFile },
        maxSessions: SESSIONS,
        sessionLimitMs: SESSION_LIMIT_MS,
      })),
      bases: { pages: pages.url.href, gates: gates.url.href },
      limits: LIMITS,
      bounds: { ...BOUNDS, ...bounds },
      render: { slots: 2, heartbeatMs: 1_000, idleMs: 4_000, drainMs: 5_000 },
      upkeep: { sweepMs: 250, probeMs: 500 },
      retention: { everyMs: 86_400_000 },
      log: { level: 'info' },
    };
    await writeFile(configuration, stringify(document), { mode: 0o600 });

    const workers = await Promise.all(WORKERS.map((name) => startChaosWorker(ground, name, configuration)));
    const connection = await add(Connection.connect({ address: document.temporal.address }), (made) => made.close());
    const temporal = new Client({ connection });
    const store = new Minio({
      endPoint: '127.0.0.1',
      port: portOf(objects.endpoint),
      useSSL: false,
      region: objects.region,
      accessKey: objects.accessKey,
      secretKey: objects.secretKey,
    });
    return {
      folder,
      darkroom: createDarkroom(temporal),
      temporal,
      capacity: createCapacity(pool),
      pool,
      postgres,
      temporalServer,
      temporalNetwork: toTemporal,
      storage: toStorage,
      store,
      bucket: objects.bucket,
      nodes,
      workers,
      gates,
      drift: () => findDrift(pool),
      objects: () => keysIn(store, objects.bucket),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
