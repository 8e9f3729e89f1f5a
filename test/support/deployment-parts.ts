import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  startBrowserNode,
  startWorker,
  type BrowserNodeService,
  type Service,
  type StackGuardian,
  type WorkerName,
} from '../../infra/stack/index.js';
import { findChromium } from './chromium.js';
import { withEnvironment } from './environment.js';
import type { FaultProxy } from './fault-proxy.js';
import type { Supervised } from './supervised.js';

/** What every part of a deployment stands on. */
export interface Ground {
  /** A folder of the part's own. */
  own(name: string): Promise<{ folder: string; guardian: StackGuardian }>;
  proxy(): Promise<FaultProxy>;
  supervise<S extends Service>(start: () => Promise<S>): Promise<Supervised<S>>;
  /** Done when the deployment closes. */
  defer(step: () => unknown): void;
}

export interface ChaosNode {
  readonly id: string;
  readonly process: Supervised<BrowserNodeService>;
  readonly network: FaultProxy;
  readonly connectLog: string;
  readonly token: string;
  readonly tokenFile: string;
  /** What the node lists itself, past the proxy: tracking ids. Nothing while it is down: its sessions went with it. */
  listed(): Promise<readonly string[]>;
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

/** What the configuration says of each node. The node itself would take more, so that it hides no grant too many. */
export const SESSIONS = 2;
export const SESSION_LIMIT_MS = 20_000;
const SESSIONS_TAKEN = 6;

/** Whether this run has mounts that nobody else sees: see `infra/setup/private-mounts.mjs`. */
export const hasPrivateMounts = (): boolean => process.env['DARKROOM_PRIVATE_MOUNTS'] === 'yes';

export const portOf = (address: string): number => Number(new URL(address.replace(/^(?!\w+:\/\/)/, 'tcp://')).port);

export async function startChaosNode(ground: Ground, id: string): Promise<ChaosNode> {
  const [options, network] = [await ground.own(id), await ground.proxy()];
  const connectLog = join(options.folder, 'connects.jsonl');
  const node = await ground.supervise(async () => {
    // With the process all its sessions ended, and it could not write so.
    await appendFile(connectLog, `${JSON.stringify({ event: 'started', at: new Date().toISOString() })}\n`);
    const started = await withEnvironment(
      { DARKROOM_NODE_SESSION_LIMIT_MS: String(SESSION_LIMIT_MS), DARKROOM_NODE_WARM: '0' },
      () => startBrowserNode({ ...options, maxSessions: SESSIONS_TAKEN, chromium: findChromium() }),
    );
    network.target(portOf(started.endpoint));
    return started;
  });
  const token = node.current?.token ?? '';
  const tokenFile = `${options.folder}-token`;
  await writeFile(tokenFile, token, { mode: 0o600 });
  return {
    id,
    process: node,
    network,
    connectLog,
    token,
    tokenFile,
    listed: async () => {
      if (node.current === undefined) return [];
      const url = new URL(node.current.endpoint.replace(/^ws/, 'http'));
      url.pathname = '/sessions';
      url.searchParams.set('token', token);
      return ((await (await fetch(url)).json()) as { trackingId: string }[]).map(({ trackingId }) => trackingId);
    },
  };
}

export async function startChaosWorker(ground: Ground, name: WorkerName, configuration: string): Promise<ChaosWorker> {
  const options = await ground.own(`${name}-${randomBytes(3).toString('hex')}`);
  const { folder: disk } = await ground.own(`${basename(options.folder)}-disk`);
  if (hasPrivateMounts()) {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m,nr_inodes=500,mode=1777', 'none', disk]);
    ground.defer(() => execFileSync('umount', ['-l', disk]));
  }
  const extras: { next: Readonly<Record<string, string>> } = { next: {} };
  const worker = await ground.supervise(async () => {
    const extra = extras.next;
    extras.next = {};
    return await withEnvironment({ TMPDIR: disk, ...extra }, () => startWorker(name, { ...options, configuration }));
  });
  return {
    name,
    folder: options.folder,
    disk,
    process: worker,
    set extra(next: Readonly<Record<string, string>>) {
      extras.next = next;
    },
    get extra() {
      return extras.next;
    },
  };
}

/** A render worker names itself anew at each start, in its log. */
export async function nameOf(worker: ChaosWorker): Promise<string | undefined> {
  const log = await readFile(join(worker.folder, `${worker.name}.log`), 'utf8').catch(() => '');
  return /"worker":"(render-[0-9a-f]+)"/.exec(log)?.[1];
}
