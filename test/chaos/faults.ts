import { setTimeout as pause } from 'node:timers/promises';
import { browserOf, childrenOf, isConnectedTo } from '../support/child-processes.js';
import { hasPrivateMounts, nameOf, type ChaosNode, type ChaosWorker } from '../support/deployment-parts.js';
import type { Deployment } from '../support/deployment.js';
import type { FaultProxy, Network } from '../support/fault-proxy.js';
import { fillDisk } from '../support/full-disk.js';
import { pick } from './random.js';

type Held = Awaited<ReturnType<Deployment['capacity']['snapshot']>>['reservations'][number];

export interface Strike {
  readonly fault: FaultName;
  readonly atMs: number;
  /** Reservations that were held on what was struck. */
  readonly hit: readonly string[];
}

interface Scene {
  readonly deployment: Deployment;
  readonly random: () => number;
  /** Sessions that work now. */
  readonly held: readonly Held[];
  /** Tells that the fault begins now. */
  readonly begin: (hit: readonly Held[]) => void;
}

/** Strikes and heals. Does not begin when nothing is there to be struck. */
type Fault = (scene: Scene) => Promise<void>;

const FAULTS = {
  'kill render worker': (scene) => onWorker(scene, (pid) => kill(pid, 'SIGKILL')),
  'stop render worker': (scene) =>
    onWorker(scene, async (pid) => {
      kill(pid, 'SIGSTOP');
      await pause(between(scene, 5_500, 8_000)); // Beyond its lease.
      kill(pid, 'SIGCONT');
    }),
  'kill slot': killSlot,
  'kill capacity worker': (scene) => killWorker(scene, 'capacity-worker'),
  'kill workflow worker': (scene) => killWorker(scene, 'workflow-worker'),
  'kill browser': (scene) => onBrowser(scene, (pid) => kill(pid, 'SIGKILL')),
  'stop browser': (scene) =>
    onBrowser(scene, async (pid) => {
      kill(pid, 'SIGSTOP');
      await pause(between(scene, 2_000, 8_000));
      kill(pid, 'SIGCONT');
    }),
  'kill browser node': (scene) =>
    onNode(scene, (node) => {
      if (node.process.current) kill(node.process.current.pid, 'SIGKILL');
    }),
  'cut network': (scene) => onNode(scene, (node) => disturb(node.network, 'cut', between(scene, 500, 3_000))),
  'delay network': (scene) => onNode(scene, (node) => disturb(node.network, 'delay', between(scene, 2_000, 5_000))),
  'black hole': (scene) => onNode(scene, (node) => disturb(node.network, 'hole', between(scene, 5_000, 9_000))),
  'restart Postgres': async (scene) => {
    scene.begin(scene.held);
    await scene.deployment.postgres.current?.stop();
  },
  'cut Postgres connections': async (scene) => {
    scene.begin(scene.held);
    await scene.deployment.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
  },
  'restart Temporal': (scene) => {
    scene.begin(scene.held);
    if (scene.deployment.temporalServer.current) kill(scene.deployment.temporalServer.current.pid, 'SIGKILL');
    return Promise.resolve();
  },
  'storage answers 503': (scene) => onStorage(scene, '503'),
  'storage hangs': (scene) => onStorage(scene, 'hole'),
  'clock is skewed': (scene) => {
    const shift = scene.random() < 0.5 ? '-30000' : '30000';
    const preload = new URL('skew.mjs', import.meta.url).href;
    return restartWith(scene, { NODE_OPTIONS: `--import ${preload}`, DARKROOM_CHAOS_SKEW_MS: shift });
  },
  'full disk': async (scene) => {
    const choice = pick(scene.random, await holdingWorkers(scene));
    if (choice === undefined) return;
    scene.begin(choice.held);
    const undo = await fillDisk(choice.worker.disk);
    await pause(between(scene, 1_000, 4_000));
    await undo();
  },
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;
export const FAULT_NAMES = Object.keys(FAULTS) as readonly FaultName[];

/** Only a file system of a worker's own can be filled. */
export function faultsHere(): readonly FaultName[] {
  return FAULT_NAMES.filter((name) => name !== 'full disk' || hasPrivateMounts());
}

/** Inflicts the fault once there is something to be struck, and heals it. */
export async function inflict(
  fault: FaultName,
  deployment: Deployment,
  random: () => number,
  struck: (strike: Strike) => void,
): Promise<void> {
  for (let tries = 0; tries < 20; tries += 1) {
    const { reservations } = await deployment.capacity.snapshot();
    const struckNow = { began: false };
    const begin = (hit: readonly Held[]): void => {
      struckNow.began = true;
      struck({ fault, atMs: Date.now(), hit: hit.map(({ reservation }) => reservation) });
    };
    const held = reservations.filter(({ state }) => state === 'active');
    if (held.length > 0) await FAULTS[fault]({ deployment, random, held, begin });
    if (struckNow.began) return;
    await pause(100);
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It has ended by itself, or by another fault.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function between({ random }: Scene, least: number, most: number): number {
  return least + random() * (most - least);
}

async function disturb(network: FaultProxy, how: Network, forMs: number): Promise<void> {
  network.set(how);
  await pause(forMs);
  network.set('pass');
}

async function onStorage(scene: Scene, how: Network): Promise<void> {
  scene.begin(scene.held);
  await disturb(scene.deployment.storage, how, between(scene, 1_000, 4_000));
}

async function onNode({ deployment, random, held, begin }: Scene, strike: (node: ChaosNode) => unknown): Promise<void> {
  const node = pick(
    random,
    deployment.nodes.filter(({ id }) => held.some((one) => one.node === id)),
  );
  if (node === undefined) return;
  begin(held.filter((one) => one.node === node.id));
  await strike(node);
}

/** The nodes of a deployment keep no browser ready, so each has one browser a session, in the order of their age. */
async function onBrowser({ deployment, random, held, begin }: Scene, strike: (pid: number) => unknown): Promise<void> {
  const choices = deployment.nodes.flatMap((node) => {
    const sessions = held.filter((one) => one.node === node.id).sort((a, b) => b.ageMs - a.ageMs);
    const browsers = node.process.current === undefined ? [] : childrenOf(node.process.current.pid);
    return sessions.length === browsers.length ? browsers.map((pid, index) => ({ pid, session: sessions[index] })) : [];
  });
  const choice = pick(random, choices);
  if (choice?.session === undefined) return;
  begin([choice.session]);
  await strike(browserOf(choice.pid));
}

interface HoldingWorker {
  readonly worker: ChaosWorker;
  readonly pid: number;
  readonly held: readonly Held[];
}

async function holdingWorkers({ deployment, held }: Scene): Promise<readonly HoldingWorker[]> {
  const workers = deployment.workers.filter(({ name }) => name === 'render-worker');
  const all = await Promise.all(
    workers.map(async (worker) => {
      const name = await nameOf(worker);
      const own = held.filter((one) => one.worker === name);
      const pid = worker.process.current?.pid;
      return own.length === 0 || pid === undefined ? [] : [{ worker, pid, held: own }];
    }),
  );
  return all.flat();
}

async function onWorker(scene: Scene, strike: (pid: number) => unknown): Promise<void> {
  const choice = pick(scene.random, await holdingWorkers(scene));
  if (choice === undefined) return;
  scene.begin(choice.held);
  await strike(choice.pid);
}

async function restartWith(scene: Scene, extra: Readonly<Record<string, string>>): Promise<void> {
  const choice = pick(scene.random, await holdingWorkers(scene));
  if (choice === undefined) return;
  choice.worker.extra = extra;
  scene.begin(choice.held);
  kill(choice.pid, 'SIGKILL');
}

function killWorker({ deployment, random, held, begin }: Scene, name: ChaosWorker['name']): Promise<void> {
  const worker = pick(
    random,
    deployment.workers.filter((one) => one.name === name && one.process.current !== undefined),
  );
  if (worker?.process.current) {
    begin(held);
    kill(worker.process.current.pid, 'SIGKILL');
  }
  return Promise.resolve();
}

/** Which slot has a session is told by its connection to the session's node. */
async function killSlot(scene: Scene): Promise<void> {
  const { deployment, random, begin } = scene;
  const choices = (await holdingWorkers(scene)).flatMap(({ pid, held }) => {
    const slots = childrenOf(pid);
    return held.flatMap((session) => {
      const port = deployment.nodes.find(({ id }) => id === session.node)?.network.port ?? 0;
      const connected = slots.filter((slot) => isConnectedTo(slot, [port]));
      const only = held.filter(({ node }) => node === session.node).length === 1 ? connected : [];
      return only.length === 1 ? only.map((slot) => ({ slot, session })) : [];
    });
  });
  const choice = pick(random, choices);
  if (choice === undefined) return;
  begin([choice.session]);
  kill(choice.slot, 'SIGKILL');
}
