import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFile, chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { Client as Minio } from 'minio';
import type pg from 'pg';
import { stringify } from 'yaml';
import {
  StackGuardian,
  startBrowserNode,
  startObjectStore,
  startPostgres,
  startTemporal,
  startWorker,
  type BrowserNodeService,
  type PostgresService,
  type Service,
  type TemporalService,
  type WorkerName,
} from '../../infra/stack/index.js';
import { createCapacity, type Capacity } from '../../scheduler/index.js';
import { findChromium } from './chromium.js';
import { withEnvironment } from './environment.js';
import { startFaultProxy, type FaultProxy } from './fault-proxy.js';
import { startFixtureServer } from './fixture-server.js';
import { createDatabase } from './postgres.js';
import { Supervised } from './supervised.js';
import { temporalProgram } from './temporal-program.js';

export interface ChaosNode {
  readonly id: string;
  readonly process: Supervised<BrowserNodeService>;
  readonly network: FaultProxy;
  readonly connectLog: string;
  readonly token: string;
}

export interface ChaosWorker {
  readonly name: WorkerName;
  readonly folder: string;
  /** Its disk for temporary files; a file system of its own where mounts are private to this run. */
  readonly disk: string;
  readonly process: Supervised<Service>;
  /** For the next start of it, and only that one. */
  extra: Readonly<Record<string, string>>;
}

/** A deployment on servers of its own, each of which can be killed, and each of which is reached through a proxy. */
export interface Deployment {
  readonly folder: string;
  readonly temporal: Client;
  readonly capacity: Capacity;
  readonly pool: pg.Pool;
  readonly postgres: Supervised<PostgresService>;
  readonly temporalServer: Supervised<TemporalService>;
  readonly storage: FaultProxy;
  readonly store: Minio;
  readonly bucket: string;
  readonly nodes: readonly ChaosNode[];
  readonly workers: readonly ChaosWorker[];
  close(): Promise<void>;
}

/** What the configuration says of each node. The node itself would take more, so that it hides no grant too many. */
export const SESSIONS = 2;
const SESSIONS_TAKEN = 6;
export const LIMITS = { running: 4, runningPerWorker: 2, runningPerUser: 2, runningPerWorkspace: 3 };
const SESSION_LIMIT_MS = 20_000;
const BOUNDS = { leaseMs: 4_000, recheckMs: 1_000, connectMs: 6_000, attemptMs: 18_000, totalMs: 90_000 };
const WORKERS: readonly WorkerName[] = [
  'capacity-worker',
  'capacity-worker',
  'workflow-worker',
  'workflow-worker',
  'render-worker',
  'render-worker',
];

/** Set by `run.mjs`, whose mounts nobody else sees, and which go with it. */
export const hasPrivateMounts = (): boolean => process.env['DARKROOM_CHAOS_MOUNTS'] === 'private';

function mount(folder: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m,nr_inodes=500,mode=1777', 'none', folder]);
}

const portOf = (address: string): number => Number(new URL(address.replace(/^(?!\w+:\/\/)/, 'tcp://')).port);

export async function startDeployment(prepare: (pool: pg.Pool) => Promise<void>): Promise<Deployment> {
  const guardian = await StackGuardian.start();
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-chaos-'));
  guardian.removeAtEnd(folder);
  await chmod(folder, 0o711);
  const undo: (() => Promise<unknown>)[] = [];
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
  const own = async (name: string): Promise<{ folder: string; guardian: StackGuardian }> => {
    const path = join(folder, name);
    await mkdir(path, { recursive: true, mode: 0o711 });
    return { folder: path, guardian };
  };
  const proxy = (): Promise<FaultProxy> => add(startFaultProxy(), (made) => made.close());
  const supervise = <S extends Service>(start: () => Promise<S>): Promise<Supervised<S>> =>
    add(Supervised.start(start), (made) => made.stop());

  try {
    const [toPostgres, toTemporal, toStorage] = [await proxy(), await proxy(), await proxy()];
    const postgresOptions = await own('postgres');
    const postgres = await supervise(async () => {
      const server = await startPostgres(postgresOptions);
      toPostgres.target(portOf(server.url));
      return server;
    });
    const temporalOptions = { ...(await own('temporal')), program: await temporalProgram() };
    const temporalServer = await supervise(async () => {
      const server = await startTemporal(temporalOptions);
      toTemporal.target(portOf(server.address));
      return server;
    });
    const objects = await add(startObjectStore(await own('storage')), (made) => made.stop());
    toStorage.target(portOf(objects.endpoint));
    const pages = await add(startFixtureServer(), (made) => made.close());

    const adminUrl = new URL(postgres.current?.url ?? '');
    adminUrl.port = String(toPostgres.port);
    // Not closed: its server goes with it.
    const database = await createDatabase(adminUrl.href);
    const pool = database.connect();
    undo.push(() => pool.end());
    await prepare(pool);

    const nodes = await Promise.all(
      Array.from({ length: 2 }, async (_, index): Promise<ChaosNode> => {
        const id = `node-${String(index + 1)}`;
        const [options, network] = [await own(id), await proxy()];
        const connectLog = join(options.folder, 'connects.jsonl');
        const process = await supervise(async () => {
          // With the process all its sessions ended, and it could not write so.
          await appendFile(connectLog, `${JSON.stringify({ event: 'started', at: new Date().toISOString() })}\n`);
          const started = await withEnvironment(
            { DARKROOM_NODE_SESSION_LIMIT_MS: String(SESSION_LIMIT_MS), DARKROOM_NODE_WARM: '0' },
            () => startBrowserNode({ ...options, maxSessions: SESSIONS_TAKEN, chromium: findChromium() }),
          );
          network.target(portOf(started.endpoint));
          return started;
        });
        const token = process.current?.token ?? '';
        await writeFile(join(folder, `${id}-token`), token, { mode: 0o600 });
        return { id, process, network, connectLog, token };
      }),
    );
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
      nodes: nodes.map(({ id, network }) => ({
        id,
        endpoint: `ws://127.0.0.1:${String(network.port)}/chromium`,
        token: { file: join(folder, `${id}-token`) },
        maxSessions: SESSIONS,
        sessionLimitMs: SESSION_LIMIT_MS,
      })),
      bases: { pages: pages.url.href },
      limits: LIMITS,
      bounds: BOUNDS,
      render: { slots: 2, heartbeatMs: 1_000, idleMs: 4_000, drainMs: 5_000 },
      upkeep: { sweepMs: 250, probeMs: 500 },
      retention: { everyMs: 86_400_000 },
      log: { level: 'info' },
    };
    await writeFile(configuration, stringify(document), { mode: 0o600 });

    const workers = await Promise.all(
      WORKERS.map(async (name): Promise<ChaosWorker> => {
        const options = await own(`${name}-${randomBytes(3).toString('hex')}`);
        const disk = await own(`${basename(options.folder)}-disk`);
        if (hasPrivateMounts()) {
          mount(disk.folder);
          undo.push(() => Promise.resolve(execFileSync('umount', ['-l', disk.folder])));
        }
        const extras: { next: Readonly<Record<string, string>> } = { next: {} };
        const process = await supervise(async () => {
          const extra = extras.next;
          extras.next = {};
          return await withEnvironment({ TMPDIR: disk.folder, ...extra }, () =>
            startWorker(name, { ...options, configuration }),
          );
        });
        return {
          name,
          folder: options.folder,
          disk: disk.folder,
          process,
          set extra(next: Readonly<Record<string, string>>) {
            extras.next = next;
          },
          get extra() {
            return extras.next;
          },
        };
      }),
    );
    const connection = await add(Connection.connect({ address: document.temporal.address }), (made) => made.close());
    return {
      folder,
      temporal: new Client({ connection }),
      capacity: createCapacity(pool),
      pool,
      postgres,
      temporalServer,
      storage: toStorage,
      store: new Minio({
        endPoint: '127.0.0.1',
        port: portOf(objects.endpoint),
        useSSL: false,
        region: objects.region,
        accessKey: objects.accessKey,
        secretKey: objects.secretKey,
      }),
      bucket: objects.bucket,
      nodes,
      workers,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A render worker names itself anew at each start, in its log. */
export async function nameOf(worker: ChaosWorker): Promise<string | undefined> {
  const log = await readFile(join(worker.folder, `${worker.name}.log`), 'utf8').catch(() => '');
  return /"worker":"(render-[0-9a-f]+)"/.exec(log)?.[1];
}
