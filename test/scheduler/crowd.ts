import {
  type Capacity,
  createCapacity,
  type Grant,
  type Leases,
  type Limits,
  type RequestAnswer,
} from '../../scheduler/index.js';
import type pg from 'pg';
import { expect } from 'vitest';
import { findDrift } from './drift.js';
import { LedgerUsage } from './properties.js';
import { node, wideLimits, worker } from './scene.js';

export const connections = 32;
/** Long enough for a slow machine: these tests live by the real clock. */
export const leases: Leases = { leaseMs: 600_000, connectMs: 15_000, workerSuspectMs: 600_000 };

export async function fleet(pool: pg.Pool, limits: Partial<Limits>): Promise<{ capacity: Capacity; limits: Limits }> {
  const capacity = createCapacity(pool);
  const all = { ...wideLimits, ...limits };
  await capacity.applyLimits(all, leases);
  await capacity.applyNodes([node('n1'), node('n2')]);
  await capacity.registerWorker(worker('w1'));
  await capacity.registerWorker(worker('w2'));
  return { capacity, limits: all };
}

/** What the ledger says of the whole past: no limit was ever exceeded, and all that is kept agrees with the rows. */
export async function expectSound(pool: pg.Pool, capacity: Capacity, limits: Limits): Promise<void> {
  const usage = new LedgerUsage();
  const lines = await capacity.ledger();
  expect(lines.flatMap((line) => usage.take(line, limits))).toEqual([]);
  expect((await capacity.snapshot()).running).toBe(usage.running);
  expect(await findDrift(pool)).toEqual([]);
}

/** Releases what it is granted and whatever that grants, until nothing waits or `most` jobs were granted. */
export async function runAll(capacity: Capacity, first: readonly Grant[], most = Infinity): Promise<string[]> {
  const order: string[] = [];
  for (let held = [...first]; held.length > 0 && order.length < most;) {
    order.push(...held.map((grant) => grant.ticket.job));
    const released = await Promise.all(held.map((grant) => capacity.release(grant)));
    held = released.flatMap(({ grants }) => grants);
  }
  return order;
}

export function grantsIn(answers: readonly RequestAnswer[]): Grant[] {
  return answers.flatMap((answer) => (answer.state === 'granted' ? [answer.grant] : []));
}
