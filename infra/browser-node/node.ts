import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { pino, type Logger } from 'pino';
import { findChromium } from './chromium/find.js';
import { hasSmallSharedMemory } from './chromium/flags.js';
import { startChromium, type ChromiumProcess, type ChromiumVersion } from './chromium/process.js';
import { ConnectLog, type ConnectEvent } from './connect-log.js';
import { within } from './deadline.js';
import { NodeError } from './errors.js';
import { Fence } from './fence.js';
import { fontSetHash } from './fonts.js';
import { HealthWatch, type Health } from './health.js';
import { createEndpoints } from './http/endpoints.js';
import { createUpgradeHandler } from './http/upgrade.js';
import { SessionDesk } from './session-desk.js';
import { WarmPool } from './warm-pool.js';
import { openWorkFolder, type WorkFolder } from './work-folder.js';

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
  connectLogFile?: string | undefined;
  log?: Logger | undefined;
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

/**
 * Starts a node and waits until its first browser has answered.
 *
 * @throws NodeError `browser_not_found`, `browser_unavailable`, `work_folder_unusable`; nothing is left behind then
 */
export async function startBrowserNode(config: BrowserNodeConfig): Promise<BrowserNode> {
  const log = config.log ?? pino({ level: 'silent' });
  const binary = await findChromium(config.chromiumPath);
  const noSandbox = config.noSandbox === true || process.getuid?.() === 0;
  if (process.pid === 1) log.warn('running as process 1: give the container an init, or dead browsers stay as zombies');
  const smallSharedMemory = await hasSmallSharedMemory();
  // Before the first browser starts, so that a crash loop never adds up (predecessor's browsers are killed here).
  const folder = await openWorkFolder(config.workFolderParent ?? tmpdir(), log);
  const pool = new WarmPool({
    target: config.warm ?? Math.min(config.maxSessions, MOST_WARM_BY_DEFAULT),
    start: () =>
      startChromium({ binary, profileFolder: folder.nextProfile(), noSandbox, smallSharedMemory }, START_TIMEOUT_MS),
    log,
  });
  try {
    const first = await pool.take(AbortSignal.timeout(FIRST_BROWSER_TIMEOUT_MS));
    const chromium = first.version;
    pool.giveBack(first);
    log.info(
      { browser: binary.path, source: binary.source, product: chromium.product, noSandbox },
      'first browser answered',
    );
    return await serve({ config, log, pool, folder, chromium });
  } catch (error) {
    await stop([() => pool.close(), () => folder.remove()]);
    throw error instanceof NodeError
      ? error
      : new NodeError('browser_unavailable', 'the first browser did not answer', { cause: error });
  }
}

type Parts = { config: BrowserNodeConfig; log: Logger; pool: WarmPool; folder: WorkFolder; chromium: ChromiumVersion };

async function serve({ config, log, pool, folder, chromium }: Parts): Promise<BrowserNode> {
  const { token, maxSessions, sessionLimitMs = DEFAULT_SESSION_LIMIT_MS } = config;
  const fontSet = await fontSetHash();
  const connectLog = new ConnectLog(config.connectLogFile);
  const health = new HealthWatch(pool, log);
  const takeBrowser = (signal: AbortSignal): Promise<ChromiumProcess> => pool.take(signal);
  const desk = new SessionDesk({ maxSessions, takeBrowser, fence: new Fence(sessionLimitMs), connectLog, log });
  const facts = () => ({
    version: NODE_VERSION,
    chromium,
    fontSet,
    health: health.health,
    warm: pool.idle,
    starting: pool.starting,
  });

  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, createEndpoints({ desk, token, facts, log }));
  server.on('upgrade', createUpgradeHandler({ desk, token, sessionLimitMs, log }));
  const host = config.host ?? '127.0.0.1';
  const port = await listen(server, host, config.port ?? 0);
  health.start();
  log.info({ host, port, maxSessions }, 'browser node listens');

  let closing: Promise<void> | undefined;
  const close = () => {
    const disconnectAll = stopListening(server);
    const closeLog = async () => connectLog.close();
    return stop([
      () => desk.close(),
      () => health.close(),
      () => pool.close(),
      () => folder.remove(),
      disconnectAll,
      closeLog,
    ]);
  };
  const stats: BrowserNodeStats = {
    get running() {
      return desk.running;
    },
    maxSessions,
    get warm() {
      return pool.idle;
    },
    get starting() {
      return pool.starting;
    },
    get health() {
      return health.health;
    },
    chromium,
    events: connectLog.events,
    get browserPids() {
      return desk.sessions.flatMap(({ browserPid }) => browserPid ?? []);
    },
    workFolder: folder.path,
  };
  return {
    url: `ws://${host.includes(':') ? `[${host}]` : host}:${port}/chromium`,
    port,
    stats,
    close: () => (closing ??= close()),
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
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
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
