import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { pino, type Logger } from 'pino';
import { findChromium } from './chromium/find.js';
import { hasSmallSharedMemory } from './chromium/flags.js';
import { startChromium, type ChromiumProcess, type ChromiumVersion } from './chromium/process.js';
import { ConnectLog, type ConnectEvent } from './connect-log.js';
import { openWorkFolder, type WorkFolder } from '../work-folder/index.js';
import { within } from './deadline.js';
import { NodeError } from './errors.js';
import { Fence } from './fence.js';
import { fontSetHash } from './fonts.js';
import { DEFAULT_PROBE_EVERY_MS, HealthWatch, type Health } from './health.js';
import type { NodeFacts } from './http/answers.js';
import { createEndpoints } from './http/endpoints.js';
import { createUpgradeHandler } from './http/upgrade.js';
import { SessionDesk } from './session-desk.js';
import { WarmPool } from './warm-pool.js';

export const NODE_VERSION = '0.1.0';
export const DEFAULT_SESSION_LIMIT_MS = 930_000;
export const MOST_WARM_BY_DEFAULT = 4;

export type BrowserNodeConfig = {
  token: string;
  maxSessions: number;
  /** Loopback unless told otherwise. */
  host?: string | undefined;
  /** 0 or nothing: any free port. */
  port?: number | undefined;
  /** Browsers kept ready beside those in use; `maxSessions`, at most 4, unless given. */
  warm?: number | undefined;
  sessionLimitMs?: number | undefined;
  chromiumPath?: string | undefined;
  /** Runs Chromium without its sandbox also where it is not running as root. */
  noSandbox?: boolean | undefined;
  /** Parent of the node's own work folder; the system's temp folder unless given. */
  workFolderParent?: string | undefined;
  /** One JSON line per connect, close and refusal is appended here. */
  connectLogFile?: string | undefined;
  /** Milliseconds between two probes of the waiting browsers, and bound on their answer; 5,000 unless given. */
  probeEveryMs?: number | undefined;
  log?: Logger | undefined;
  /** Gives up a start that is still under way; a node that is up is ended by `close`. */
  startSignal?: AbortSignal | undefined;
};

export type BrowserNodeStats = {
  readonly running: number;
  readonly maxSessions: number;
  readonly warm: number;
  readonly starting: number;
  readonly health: Health;
  readonly chromium: ChromiumVersion;
  /** The last 1,000 connects, closes and refusals. */
  readonly events: readonly ConnectEvent[];
  /** Process ids of the browsers with a session; each leads its process group. */
  readonly browserPids: readonly number[];
  readonly workFolder: string;
};

export type BrowserNode = {
  /** Where `connectOverCDP` goes; the caller adds `?token=…&trackingId=…`. */
  readonly url: string;
  readonly port: number;
  readonly stats: BrowserNodeStats;
  /**
   * Stops accepting, kills every session and warm browser, removes all folders. Idempotent.
   *
   * @throws NodeError `stop_unconfirmed` when that took longer than 15 s
   */
  close(): Promise<void>;
};

const START_TIMEOUT_MS = 20_000;
const FIRST_BROWSER_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 10_000;
const PROFILES = { prefix: 'darkroom-node-', mention: (path: string) => `--user-data-dir=${path}/` };

/**
 * Starts a node and waits until its first browser has answered.
 *
 * @throws NodeError `browser_not_found`, `browser_unavailable`, `work_folder_unusable`, `listen_failed`;
 * nothing is left behind then
 */
export async function startBrowserNode(config: BrowserNodeConfig): Promise<BrowserNode> {
  const log = config.log ?? pino({ level: 'silent' });
  if (process.pid === 1) log.warn('running as process 1: give the container an init, or dead browsers stay as zombies');
  const binary = await findChromium(config.chromiumPath);
  const noSandbox = config.noSandbox === true || process.getuid?.() === 0;
  const smallSharedMemory = await hasSmallSharedMemory();
  // Kills a dead predecessor's browsers before the first own one starts, so that a crash loop never adds up.
  const folder = await openProfileFolder(config.workFolderParent ?? tmpdir(), log);
  const pool = new WarmPool({
    target: config.warm ?? Math.min(config.maxSessions, MOST_WARM_BY_DEFAULT),
    start: (signal) => {
      const flags = { binary, profileFolder: folder.next(), noSandbox, smallSharedMemory };
      return startChromium(flags, START_TIMEOUT_MS, signal);
    },
    log,
  });
  try {
    const chromium = await firstAnswer(pool, config.startSignal);
    log.info({ browser: binary.path, source: binary.source, product: chromium.product, noSandbox }, 'browser answered');
    return await serve({ config, log, pool, folder, chromium });
  } catch (error) {
    await stop([() => pool.close(), () => folder.remove()]);
    throw error;
  }
}

async function openProfileFolder(parent: string, log: Logger): Promise<WorkFolder> {
  try {
    return await openWorkFolder(parent, PROFILES, log);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new NodeError('work_folder_unusable', `work folder under ${parent}: ${why}`, { cause: error });
  }
}

async function firstAnswer(pool: WarmPool, startSignal: AbortSignal | undefined): Promise<ChromiumVersion> {
  const late = new NodeError('browser_unavailable', `no browser answered within ${FIRST_BROWSER_TIMEOUT_MS} ms`);
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(late), FIRST_BROWSER_TIMEOUT_MS);
  try {
    const signals = [controller.signal, ...(startSignal === undefined ? [] : [startSignal])];
    const browser = await pool.take(AbortSignal.any(signals));
    pool.giveBack(browser);
    return browser.version;
  } finally {
    clearTimeout(timer);
  }
}

type Parts = { config: BrowserNodeConfig; log: Logger; pool: WarmPool; folder: WorkFolder; chromium: ChromiumVersion };

async function serve({ config, log, pool, folder, chromium }: Parts): Promise<BrowserNode> {
  const { token, maxSessions, sessionLimitMs = DEFAULT_SESSION_LIMIT_MS, host = '127.0.0.1' } = config;
  const fontSet = await fontSetHash();
  const connectLog = new ConnectLog(config.connectLogFile);
  const health = new HealthWatch(pool, config.probeEveryMs ?? DEFAULT_PROBE_EVERY_MS, log);
  const takeBrowser = (signal: AbortSignal): Promise<ChromiumProcess> => pool.take(signal);
  const desk = new SessionDesk({ maxSessions, takeBrowser, fence: new Fence(sessionLimitMs), connectLog, log });
  const facts = (): NodeFacts => {
    const { idle: warm, starting } = pool;
    return { version: NODE_VERSION, chromium, fontSet, health: health.health, warm, starting };
  };
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, createEndpoints({ desk, token, facts, log }));
  server.on('upgrade', createUpgradeHandler({ desk, token, sessionLimitMs, log }));
  const port = await listen(server, host, config.port ?? 0);
  health.start();
  log.info({ host, port, maxSessions }, 'browser node listens');

  const close = async () => {
    const disconnectAll = stopListening(server);
    await stop([() => desk.close(), () => health.close(), () => pool.close(), () => folder.remove(), disconnectAll]);
    connectLog.close();
  };
  let closing: Promise<void> | undefined;
  return {
    url: `ws://${host.includes(':') ? `[${host}]` : host}:${port}/chromium`,
    port,
    stats: liveStats({ desk, facts, connectLog, folder }),
    close: () => (closing ??= close()),
  };
}

type StatsSources = { desk: SessionDesk; facts: () => NodeFacts; connectLog: ConnectLog; folder: WorkFolder };

function liveStats({ desk, facts, connectLog, folder }: StatsSources): BrowserNodeStats {
  return {
    maxSessions: desk.maxSessions,
    chromium: facts().chromium,
    events: connectLog.events,
    workFolder: folder.path,
    get running() {
      return desk.running;
    },
    get warm() {
      return facts().warm;
    },
    get starting() {
      return facts().starting;
    },
    get health() {
      return facts().health;
    },
    get browserPids() {
      return desk.sessions.flatMap(({ browserPid }) => browserPid ?? []);
    },
  };
}

async function stop(steps: (() => Promise<void>)[]): Promise<void> {
  const all = (async () => {
    for (const step of steps) await step();
  })();
  await within(STOP_TIMEOUT_MS, all, () => {
    return new NodeError(
      'stop_unconfirmed',
      `the node could not end everything it started within ${STOP_TIMEOUT_MS} ms`,
    );
  });
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(new NodeError('listen_failed', `cannot listen on ${host}:${port}: ${error.message}`, { cause: error }));
    });
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
  const address = server.address();
  return isAddressInfo(address) ? address.port : port;
}

function isAddressInfo(address: string | AddressInfo | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}

/** Stops listening at once; the returned step waits until the last connection is closed. */
function stopListening(server: Server): () => Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  return async () => {
    server.closeAllConnections();
    await closed;
  };
}
