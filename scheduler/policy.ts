import type { Leases, Limits } from './capacity.js';
import type { Retention } from './retention.js';

/** Limits of a normal deployment; the first migration seeds the same. */
export const normalLimits: Limits = {
  running: 2,
  runningPerWorker: 2,
  runningPerUser: 2,
  runningPerWorkspace: 2,
  runningAgents: 1,
  waiting: 128,
  waitingPerWorkspace: 32,
  waitingPerUser: 16,
};

/** Limits of a small machine. */
export const liteLimits: Limits = {
  running: 1,
  runningPerWorker: 1,
  runningPerUser: 1,
  runningPerWorkspace: 1,
  runningAgents: 1,
  waiting: 16,
  waitingPerWorkspace: 16,
  waitingPerUser: 8,
};

/** A lease outlives five missed heartbeats of 10 s; connecting is bounded by 15 s; a worker may miss none to be granted. */
export const defaultLeases: Leases = { leaseMs: 60_000, connectMs: 15_000, workerSuspectMs: 10_000 };

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Results a day, consumed ones an hour (as long as a link opens), keys and summaries 30 days, the ledger 90; the migration seeds the same. */
export const defaultRetention: Retention = {
  resultMs: dayMs,
  consumedMs: hourMs,
  summaryMs: 30 * dayMs,
  ledgerMs: 90 * dayMs,
};

const firstBackoffMs = 500;
const longestBackoffMs = 8_000;
/** Spread by a fifth either way, so that jobs refused together do not come back together. */
const jitter = 0.2;

/**
 * How long a request stays away after a node refused it for capacity: 0.5, 1, 2, 4, then 8 s, ±20 %.
 *
 * @param refusals how often nodes had refused the attempt before this refusal (`Grant.refusals`), from 0
 * @param random a number in [0, 1)
 * @returns whole milliseconds
 */
export function backoffMs(refusals: number, random: number): number {
  const middle = Math.min(longestBackoffMs, firstBackoffMs * 2 ** Math.max(0, refusals));
  return Math.round(middle * (1 - jitter + 2 * jitter * random));
}
