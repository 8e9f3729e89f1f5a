import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Browser } from 'playwright-core';
import { expect, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { systemCode } from '../../../infra/browser-node/errors.js';
import { listProcesses } from '../../../infra/work-folder/index.js';
import {
  findChromium,
  startBrowserNode,
  type BrowserNode,
  type BrowserNodeConfig,
} from '../../../infra/browser-node/index.js';

export const TOKEN = 'token-of-this-test';
// Bounds for a hang, generous because they are shared with whatever else the machine does.
const PATIENCE = { timeout: 25_000, interval: 25 };

export type World = {
  node: BrowserNode;
  folder: string;
  url: (query?: Record<string, string>) => string;
  http: (path: string, init?: RequestInit) => Promise<Response>;
};

/** A node of the test's own; when the test ends it is closed, and nothing of it may be left. */
export async function startWorld(config: Partial<BrowserNodeConfig> = {}): Promise<World> {
  const folder = config.workFolderParent ?? (await tempFolder());
  const node = await startBrowserNode({ token: TOKEN, maxSessions: 2, warm: 1, ...config, workFolderParent: folder });
  onTestFinished(async () => {
    await node.close();
    expect(await runningIn(node.stats.workFolder)).toEqual([]);
    expect(await readdir(folder)).not.toContain(basename(node.stats.workFolder));
  });
  return {
    node,
    folder,
    url: (query = {}) => `${node.url}?${new URLSearchParams({ token: TOKEN, ...query }).toString()}`,
    http: (path, init = {}) =>
      fetch(`http://127.0.0.1:${node.port}${path}`, { headers: { Authorization: `Bearer ${TOKEN}` }, ...init }),
  };
}

export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'node-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Connects as a worker does. */
export async function connect(url: string): Promise<Browser> {
  // Loaded by the tests that need a driver only: most rules are about the socket.
  const { chromium } = await import('playwright-core');
  const browser = await chromium.connectOverCDP(url);
  onTestFinished(() => browser.close());
  return browser;
}

/** A browser that does not start while its gate is closed. */
export async function gatedChromium(): Promise<{ path: string; closeGate: () => Promise<void> }> {
  const folder = await tempFolder();
  const path = join(folder, 'gated-headless-shell');
  const gate = join(folder, 'gate');
  const { path: real } = await findChromium();
  const wait = `while [ ! -e '${gate}' ]; do sleep 0.02; done`;
  await writeFile(path, `#!/bin/sh\n${wait}\nexec '${real}' "$@"\n`, { mode: 0o755 });
  await writeFile(gate, '');
  return { path, closeGate: () => rm(gate) };
}

export type Closing = { code: number; reason: string };
export type Dialled = { socket: WebSocket; closed: Promise<Closing> };

/** Opens a session without a driver, which is all that most rules need. */
export async function dial(url: string, headers: Record<string, string> = {}): Promise<Dialled> {
  const answer = await attempt(url, headers);
  if ('socket' in answer) return answer;
  throw new Error(`refused: ${answer.status} ${answer.body}`);
}

export type Refusal = { status: number; code: unknown; body: string; headers: IncomingMessage['headers'] };

/** Expects the dial to be refused with an HTTP answer. */
export async function refusal(url: string, headers: Record<string, string> = {}): Promise<Refusal> {
  const answer = await attempt(url, headers);
  if ('status' in answer) return answer;
  throw new Error('the dial was not refused');
}

export function attempt(url: string, headers: Record<string, string> = {}): Promise<Dialled | Refusal> {
  const socket = new WebSocket(url, { headers, perMessageDeflate: false, maxPayload: 256 * 1024 * 1024 });
  onTestFinished(() => socket.terminate());
  const closed = new Promise<Closing>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve({ socket, closed }));
    socket.on('error', reject);
    socket.once('unexpected-response', (_, response) => {
      readBody(response).then((body) => {
        const { code } = JSON.parse(body) as { code?: unknown };
        resolve({ status: response.statusCode ?? 0, code, body, headers: response.headers });
      }, reject);
    });
  });
}

/** Sends one CDP command and waits for its answer. */
export function command(socket: WebSocket, id: number, method: string, params: object = {}): Promise<unknown> {
  return new Promise((resolve) => {
    const onMessage = (data: Buffer) => {
      const answer = JSON.parse(data.toString('utf8')) as { id?: number };
      if (answer.id !== id) return;
      socket.off('message', onMessage);
      resolve(answer);
    };
    socket.on('message', onMessage);
    socket.send(JSON.stringify({ id, method, params }));
  });
}

/** Matchers that are not `any`. */
export const textWith = (part: string): unknown => expect.stringContaining(part);
export const textLike = (pattern: RegExp): unknown => expect.stringMatching(pattern);

export async function eventually(check: () => void | Promise<void>): Promise<void> {
  await vi.waitFor(check, PATIENCE);
}

/** Waits until the node has no session that holds a slot. */
export async function emptied(node: BrowserNode): Promise<void> {
  await eventually(() => expect(node.stats.running).toBe(0));
}

/** Names of the profile folders that exist. */
export async function profiles(node: BrowserNode): Promise<string[]> {
  return await readdir(node.stats.workFolder);
}

/** Ids of the live processes whose command line names the folder, and of those in their groups. */
export async function runningIn(folder: string): Promise<number[]> {
  const alive = (await listProcesses()).filter(({ zombie }) => !zombie);
  const named = await Promise.all(
    alive.map(async (one) => ({ ...one, named: (await commandLine(one.pid)).includes(folder) })),
  );
  const groups = new Set(named.filter((one) => one.named).map(({ group }) => group));
  return alive.filter(({ group }) => groups.has(group)).map(({ pid }) => pid);
}

/** Chromium's short-lived children may end between being listed and being told. */
export function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (systemCode(error) !== 'ESRCH') throw error;
  }
}

/** Zombies that this process is the parent of. */
export async function ownZombies(): Promise<string[]> {
  const stats = await Promise.all(
    (await listProcesses())
      .filter(({ zombie }) => zombie)
      .map(({ pid }) => readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')),
  );
  return stats.filter((text) => text.slice(text.lastIndexOf(')') + 2).split(' ')[1] === String(process.pid));
}

function commandLine(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
}

async function readBody(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8');
  let body = '';
  for await (const chunk of response) body += String(chunk);
  return body;
}
