import { readFile } from 'node:fs/promises';
import { startBrowserNode } from '../../infra/stack/index.js';
import { startBrowserless } from './browserless.js';
import { findChromium } from './chromium.js';
import { eventually } from './eventually.js';
import { startNodeProxy, type NodeProxy } from './node-proxy.js';

/** What the end-to-end tests run on: `npm run full -- nodes` sets it, everything else runs on Darkroom's own node. */
export type NodeMake = 'own' | 'browserless';
export type NodeSet = NodeMake | 'mixed';

export interface ConnectEvent {
  readonly event: string;
  /** ISO 8601, UTC, by this machine's clock, which all nodes share. */
  readonly at: string;
  readonly trackingId?: string;
}

/** One browser node of a world, with the proxy that workers dial it through. */
export interface TestNode {
  readonly id: string;
  readonly make: NodeMake;
  readonly sessions: number;
  /** The node itself, without the token. */
  readonly endpoint: string;
  readonly token: string;
  readonly proxy: NodeProxy;
  /** Sessions opened and closed: the own node's record; for Browserless, which keeps none, the proxy's. */
  connectLog(): Promise<readonly ConnectEvent[]>;
  /** What the node lists itself: tracking ids. */
  listed(): Promise<readonly string[]>;
  /** Ends the node, not the proxy. */
  stop(): Promise<void>;
}

export function nodeSet(): NodeSet {
  const set = process.env['DARKROOM_TEST_NODES'] ?? 'own';
  if (set === 'own' || set === 'browserless' || set === 'mixed') return set;
  throw new Error('DARKROOM_TEST_NODES: own, browserless or mixed.');
}

/** Which nodes a world with this many sessions has. Mixed: one of each, as far as there are sessions to share. */
export function nodesFor(set: NodeSet, sessions: number): readonly { make: NodeMake; sessions: number }[] {
  if (set !== 'mixed') return [{ make: set, sessions }];
  const own = Math.ceil(sessions / 2);
  const nodes = [
    { make: 'own' as const, sessions: own },
    { make: 'browserless' as const, sessions: sessions - own },
  ];
  return nodes.filter((node) => node.sessions > 0);
}

export async function startTestNode(id: string, make: NodeMake, sessions: number, folder: string): Promise<TestNode> {
  const node = make === 'own' ? await own(folder, sessions) : await browserless(sessions);
  const { connectLogFile, ...rest } = node;
  const proxy = await startNodeProxy(node.endpoint);
  const url = new URL(node.endpoint.replace(/^ws/, 'http'));
  url.pathname = '/sessions';
  url.searchParams.set('token', node.token);
  return {
    ...rest,
    id,
    make,
    sessions,
    proxy,
    connectLog: async () => (connectLogFile === undefined ? proxy.connects() : await readLog(connectLogFile)),
    listed: async () => {
      // Browserless 2.42 answers 500 while one of its sessions is ending.
      const answer = await eventually(
        () => fetch(url),
        ({ status }) => status !== 500,
      );
      return [...new Set(((await answer.json()) as { trackingId: string }[]).map(({ trackingId }) => trackingId))];
    },
  };
}

interface Started extends Pick<TestNode, 'endpoint' | 'token' | 'stop'> {
  readonly connectLogFile?: string;
}

async function own(folder: string, maxSessions: number): Promise<Started> {
  const node = await startBrowserNode({ folder, maxSessions, chromium: findChromium() });
  const { endpoint, token, connectLog } = node;
  return { endpoint, token, stop: () => node.stop(), connectLogFile: connectLog };
}

async function browserless(concurrent: number): Promise<Started> {
  const peer = await startBrowserless({ chromium: findChromium(), concurrent });
  return {
    endpoint: `${peer.url.replace(/^http/, 'ws')}/chromium`,
    token: peer.token,
    stop: () => peer.stop(),
  };
}

async function readLog(file: string): Promise<readonly ConnectEvent[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as ConnectEvent);
}
