import type { Browser } from 'playwright-core';
import type { Deadline } from '../deadline.js';
import { JobFailure, messageOf } from '../failure.js';
import type { NodeConnection } from './node.js';

/** The node is there and says that it has no slot: the job waits again, without having spent an attempt. */
export class NodeRefusal extends Error {
  override readonly name = 'NodeRefusal';
  readonly status: 429 | 503;

  constructor(status: 429 | 503) {
    super(`The node refused the session with ${String(status)}.`);
    this.status = status;
  }
}

/** The dial ended before there was a session, so its reservation needs no quarantine. */
export class NeverOpened extends JobFailure {}

/** Playwright is heavy, and only slots dial: whoever imports this folder for something else does not pay for it. */
export async function loadPlaywright() {
  return await import('playwright-core');
}

/**
 * Opens one CDP connection. Fails with `NodeRefusal`, `NeverOpened`, `browser_unavailable` or the deadline's
 * `connect_timeout`. A connection that arrives after the deadline is closed again.
 */
export async function connect(deadline: Deadline, connection: NodeConnection, url: string): Promise<Browser> {
  const { chromium } = await loadPlaywright();
  const dial = chromium.connectOverCDP(url, { timeout: deadline.remainingMs, headers: { ...connection.headers } });
  try {
    return await deadline.race(dial);
  } catch (error) {
    dial.then((late) => late.close()).catch(() => undefined); // Both ends of a late dial are already reported.
    throw connectFailure(error, connection.node);
  }
}

/** Playwright tells what happened in text only, so this is the one place that reads it. */
export function connectFailure(error: unknown, node: string): Error {
  if (error instanceof JobFailure) return error;
  const text = messageOf(error);
  const status = /WebSocket error: \S+ (\d{3})\b/.exec(text)?.[1];
  if (status === '429' || status === '503') return new NodeRefusal(status === '429' ? 429 : 503);
  if (status === '401' || status === '403') return new NeverOpened('node_auth_failed', node);
  // 409: a session with this id lives, or once lived. Whose it is cannot be told from here.
  const refused = status !== undefined && status !== '409';
  if (refused || /\b(ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH)\b/.test(text)) {
    return new NeverOpened('browser_unavailable', `${node}: ${text}`, { cause: error });
  }
  if (/timeout .*exceeded/i.test(text)) return new JobFailure('connect_timeout', node);
  return new JobFailure('browser_unavailable', `${node}: ${text}`, { cause: error });
}
