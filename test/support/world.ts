import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { Client as Minio } from 'minio';
import type pg from 'pg';
import { inject } from 'vitest';
import { stringify } from 'yaml';
import { createDarkroom, type Darkroom } from '../../client/index.js';
import { startWorker, type Service, type WorkerName } from '../../infra/stack/index.js';
import { createCapacity, type Capacity } from '../../scheduler/index.js';
import { findDrift } from '../scheduler/drift.js';
import { withEnvironment } from './environment.js';
import { startFixtureServer, type FixtureServer } from './fixture-server.js';
import { startGateServer, type GateServer } from './gate-server.js';
import { nodeSet, nodesFor, startTestNode, type ConnectEvent, type TestNode } from './nodes.js';
import { keysIn } from './objects.js';
import { createDatabase, type TestDatabase } from './postgres.js';
import { Supervised } from './supervised.js';

export type { LedgerEntry } from '../../scheduler/index.js';
export type SupervisedWorker = Supervised<Service>;

export interface WorldOptions {
  /** Sessions of all browser nodes together. */
  readonly sessions?: number;
  readonly renderWorkers?: number;
  /** Over the short bounds that tests run with. */
  readonly bounds?: Readonly<Record<string, number>>;
  readonly limits?: Readonly<Record<string, number>>;
  readonly render?: Readonly<Record<string, number>>;
  /** Workers dial the nodes themselves, not through their proxies, which take connections also for a node that is gone. */
  readonly direct?: boolean;
  readonly upkeep?: Readonly<Record<string, number>>;
  readonly retention?: Readonly<Record<string, number>>;
  /** Replaces fields of the first node's entry, to provoke a wrong one. */
  readonly node?: Readonly<Record<string, unknown>>;
}

/** A deployment of a test file's own: database, bucket, namespace, browser nodes, workers, and pages to render. */
export interface World {
  readonly darkroom: Darkroom;
  readonly temporal: Client;
  readonly capacity: Capacity;
  /** Of the world's own database. */
  readonly pool: pg.Pool;
  readonly nodes: readonly TestNode[];
  /** The first, in most tests the only one. */
  readonly node: TestNode;
  readonly pages: FixtureServer;
  readonly gates: GateServer;
  readonly configuration: string;
  readonly databaseUrl: string;
  readonly folder: string;
  readonly renderWorkers: Service[];
  readonly capacityWorker: Service;
  startRenderWorker(): Promise<Service>;
  /** Another one, whose workflow code is said to be of this build. */
  startWorkflowWorker(buildId: string): Promise<Service>;
  /** Another one, which reaches Postgres by this URL, and is started again whenever it has ended. */
  superviseCapacityWorker(postgresUrl: string): Promise<SupervisedWorker>;
  /** What the scheduler counts otherwise than its rows say. */
  drift(): Promise<readonly unknown[]>;
  /** Sessions that the nodes opened and closed, in the order in which they did. */
  connectLog(): Promise<readonly ConnectEvent[]>;
  /** Keys of all objects in the bucket. */
  objects(): Promise<readonly string[]>;
  fetchObject(key: string): Promise<Buffer>;
  putObject(key: string): Promise<void>;
  removeObject(key: string): Promise<void>;
  close(): Promise<void>;
}

/** Short enough for a test that waits for one to pass, long enough for two cores under load. */
export const SHORT_BOUNDS = { leaseMs: 4_000, recheckMs: 2_000, connectMs: 10_000 };
const SHORT_RENDER = { heartbeatMs: 1_000, idleMs: 4_000, drainMs: 10_000 };

export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const shared = inject('shared');
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-world-'));
  await chmod(folder, 0o711);
  const undo: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const add = async <T>(thing: Promise<T>, stop: (thing: T) => Promise<unknown>): Promise<T> => {
    const made = await thing;
    undo.push(() => stop(made));
    return made;
  };
  const close = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const database = await add(createDatabase(shared.postgresUrl), (made) => made.close());
    const pool = database.connect(8);
    const capacity = createCapacity(pool);
    const pages = await add(startFixtureServer(), (made) => made.close());
    const nodes: TestNode[] = [];
    for (const [index, { make, sessions }] of nodesFor(nodeSet(), sessionCount(options)).entries()) {
      const id = `node-${String(index + 1)}`;
      const node = await add(startTestNode(id, make, sessions, await subfolder(folder, id)), (made) => made.stop());
      await add(Promise.resolve(node.proxy), (made) => made.close());
      nodes.push(node);
    }
    const [node] = nodes;
    if (node === undefined) throw new Error('a world has at least one session');
    const gates = await add(startGateServer(), (made) => made.close());
    const bucket = await createBucket();
    const namespace = await claimNamespace();
    const configuration = await writeWorldConfiguration(folder, {
      options,
      database,
      nodes,
      pages,
      gates,
      bucket,
      namespace,
    });
    const connection = await add(Connection.connect({ address: shared.temporal.address }), (made) => made.close());
    const temporal = new Client({ connection, namespace });
    const worker = async (name: WorkerName, environment: Readonly<Record<string, string>> = {}): Promise<Service> => {
      const own = await subfolder(folder, `${name}-${randomBytes(3).toString('hex')}`);
      const started = withEnvironment(environment, () => startWorker(name, { folder: own, configuration }));
      return await add(started, (made) => made.stop());
    };
    const renderWorkers: Service[] = [];
    const startRenderWorker = async (): Promise<Service> => {
      const started = await worker('render-worker');
      renderWorkers.push(started);
      return started;
    };
    const [capacityWorker] = await Promise.all([
      worker('capacity-worker'),
      worker('workflow-worker'),
      ...Array.from({ length: options.renderWorkers ?? 1 }, startRenderWorker),
    ]);
    const store = minio();
    return {
      darkroom: createDarkroom(temporal),
      temporal,
      capacity,
      pool,
      nodes,
      node,
      pages,
      gates,
      configuration,
      databaseUrl: database.url,
      folder,
      renderWorkers,
      capacityWorker,
      startRenderWorker,
      startWorkflowWorker: (buildId) => worker('workflow-worker', { DARKROOM_BUILD_ID: buildId }),
      superviseCapacityWorker: async (postgresUrl) => {
        const own = await subfolder(folder, 'supervised-capacity-worker');
        return await add(
          Supervised.start(() =>
            withEnvironment({ DARKROOM_POSTGRES_URL: postgresUrl }, () =>
              startWorker('capacity-worker', { folder: own, configuration }),
            ),
          ),
          (made) => made.stop(),
        );
      },
      drift: () => findDrift(pool),
      connectLog: async () => inOrder(await Promise.all(nodes.map((each) => each.connectLog()))),
      objects: () => keysIn(store, bucket),
      fetchObject: async (key) => Buffer.concat((await (await store.getObject(bucket, key)).toArray()) as Buffer[]),
      putObject: async (key) => {
        await store.putObject(bucket, key, key);
      },
      removeObject: (key) => store.removeObject(bucket, key),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** One node's own order is exact. Of several, a session that ended in the moment in which another began ended before it. */
function inOrder(logs: readonly (readonly ConnectEvent[])[]): readonly ConnectEvent[] {
  const [only = [], ...more] = logs;
  if (more.length === 0) return only;
  return logs.flat().sort((a, b) => a.at.localeCompare(b.at) || a.event.localeCompare(b.event));
}

interface Parts {
  readonly options: WorldOptions;
  readonly database: TestDatabase;
  readonly nodes: readonly TestNode[];
  readonly pages: FixtureServer;
  readonly gates: GateServer;
  readonly bucket: string;
  readonly namespace: string;
}

async function writeWorldConfiguration(folder: string, parts: Parts): Promise<string> {
  const { temporal, storage } = inject('shared');
  const { options } = parts;
  const file = join(folder, 'darkroom.yaml');
  const document = {
    temporal: { address: temporal.address, namespace: parts.namespace, ui: temporal.ui },
    postgres: { url: parts.database.url },
    storage: { ...storage, bucket: parts.bucket },
    nodes: await Promise.all(parts.nodes.map((node, index) => nodeEntry(folder, node, options, index === 0))),
    bases: { pages: parts.pages.url.href, gates: parts.gates.url.href },
    limits: options.limits ?? {},
    bounds: { ...SHORT_BOUNDS, ...options.bounds },
    render: { slots: sessionCount(options), ...SHORT_RENDER, ...options.render },
    upkeep: { sweepMs: 250, probeMs: 500, ...options.upkeep },
    // The schedule sweeps when a test triggers it.
    retention: { everyMs: 86_400_000, ...options.retention },
    log: { level: 'info' },
  };
  await writeFile(file, stringify(document), { mode: 0o600 });
  return file;
}

function sessionCount({ sessions = 2 }: WorldOptions): number {
  return sessions;
}

async function nodeEntry(folder: string, node: TestNode, options: WorldOptions, isFirst: boolean) {
  const token = join(folder, `${node.id}-token`);
  await writeFile(token, node.token, { mode: 0o600 });
  return {
    id: node.id,
    endpoint: options.direct === true ? node.endpoint : node.proxy.endpoint,
    token: { file: token },
    maxSessions: node.sessions,
    ...(isFirst ? options.node : {}),
  };
}

async function subfolder(folder: string, name: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(path, { recursive: true, mode: 0o711 });
  return path;
}

function minio(): Minio {
  const { endpoint, region, accessKey, secretKey } = inject('shared').storage;
  const { hostname, port } = new URL(endpoint);
  return new Minio({ endPoint: hostname, port: Number(port), useSSL: false, region, accessKey, secretKey });
}

async function createBucket(): Promise<string> {
  const bucket = `test-${randomBytes(6).toString('hex')}`;
  await minio().makeBucket(bucket);
  return bucket;
}

/** Making a folder succeeds for one caller only, also across processes. */
async function claimNamespace(): Promise<string> {
  const { namespaces, claims } = inject('shared');
  for (const namespace of namespaces) {
    try {
      await mkdir(join(claims, namespace));
      return namespace;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  throw new Error('No namespace is left: raise their number in global-setup.ts.');
}
