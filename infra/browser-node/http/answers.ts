import { freemem, loadavg, availableParallelism, totalmem } from 'node:os';
import type { ChromiumVersion } from '../chromium/process.js';
import type { Health } from '../health.js';
import type { SessionDesk } from '../session-desk.js';

/** What the answers need to know of the node beside its sessions. */
export type NodeFacts = {
  version: string;
  chromium: ChromiumVersion;
  fontSet: string | null;
  health: Health;
  warm: number;
  starting: number;
};

/** `/json/version` as Chromium answers it, with the node's own version and font set. */
export function versionInfo(facts: NodeFacts, host: string): Record<string, string | null> {
  const { product, protocolVersion, userAgent, jsVersion, revision } = facts.chromium;
  return {
    Browser: product,
    'Protocol-Version': protocolVersion,
    'User-Agent': userAgent,
    'V8-Version': jsVersion,
    'Debugger-Version': revision.replace(/^@/, ''),
    // Without the token: answers end up in logs.
    webSocketDebuggerUrl: `ws://${host}/chromium`,
    'Darkroom-Node': facts.version,
    'Darkroom-Font-Set': facts.fontSet,
  };
}

/** `/pressure` in Browserless' shape. */
export function pressure(facts: NodeFacts, desk: SessionDesk): { pressure: Record<string, unknown> } {
  const healthy = facts.health.status !== 'unhealthy';
  const free = desk.running < desk.maxSessions;
  return {
    pressure: {
      date: Date.now(),
      isAvailable: healthy && free,
      running: desk.running,
      maxConcurrent: desk.maxSessions,
      // This node never queues.
      queued: 0,
      maxQueued: 0,
      recentlyRejected: desk.recentlyRejected,
      cpu: Math.round(((loadavg()[0] ?? 0) / availableParallelism()) * 100),
      memory: Math.round((1 - freemem() / totalmem()) * 100),
      reason: healthy ? (free ? '' : 'full') : 'browser',
      message: healthy ? (free ? '' : 'All sessions are in use') : (facts.health.reason ?? ''),
      warm: facts.warm,
    },
  };
}

/** `/sessions` close to Browserless' shape: one entry per session, those being opened or killed included. */
export function sessionList(facts: NodeFacts, desk: SessionDesk, host: string): Record<string, unknown>[] {
  return desk.sessions.map((session) => ({
    id: session.id,
    trackingId: session.trackingId,
    type: 'browser',
    browser: facts.chromium.product,
    browserId: session.id,
    state: session.state,
    running: session.state === 'open',
    numbConnected: session.state === 'open' ? 1 : 0,
    startedOn: session.startedAt.getTime(),
    startedAt: session.startedAt.toISOString(),
    timeAliveMs: Date.now() - session.startedAt.getTime(),
    limitMs: session.limitMs,
    killURL: `http://${host}/kill/${session.trackingId ?? session.id}`,
  }));
}
