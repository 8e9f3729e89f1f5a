import { expect, test } from 'vitest';
import type { JobHandle } from '../../client/index.js';
import type { JobClass } from '../../workflows/contract/index.js';
import { submitSimple, untilIdle, untilQueued } from '../support/jobs.js';
import { startWorld, type LedgerEntry, type World } from '../support/world.js';

const CALLERS = [
  { workspace: 'w1', user: 'ann' },
  { workspace: 'w1', user: 'bob' },
  { workspace: 'w2', user: 'cid' },
  { workspace: 'w2', user: 'dot' },
];
const CLASSES: readonly JobClass[] = ['interactive', 'background'];
const JOBS = 40;

/** Long enough for all jobs one after another on a slow machine; 40 jobs that ask again every 2 s would be most of its work. */
const bounds = { queueMs: 600_000, totalMs: 600_000, recheckMs: 60_000 };

async function submitAll(world: World): Promise<JobHandle[]> {
  return await Promise.all(
    Array.from({ length: JOBS }, (_, index) =>
      submitSimple(world, {
        ...(CALLERS[index % CALLERS.length] ?? {}),
        class: CLASSES[Math.floor(index / CALLERS.length) % 2] ?? 'interactive',
      }),
    ),
  );
}

/** Pauses grants until all wait, so that the order of grants depends on nothing but the order of requests. */
async function runAll(world: World): Promise<readonly LedgerEntry[]> {
  await world.capacity.pause(true);
  const jobs = await submitAll(world);
  await untilQueued(world, JOBS);
  await world.capacity.pause(false);
  const outcomes = await Promise.all(jobs.map((job) => job.wait()));
  expect(outcomes.map(({ status }) => status)).toEqual(Array.from({ length: JOBS }, () => 'succeeded'));
  await untilIdle(world);
  return await world.capacity.ledger();
}

/** The most sessions at a time, as the node itself wrote them down. */
async function mostSessions(world: World): Promise<number> {
  let open = 0;
  let most = 0;
  for (const { event } of await world.connectLog()) {
    if (event === 'open') open += 1;
    if (event === 'close') open -= 1;
    most = Math.max(most, open);
  }
  expect(open).toBe(0);
  return most;
}

/** The order of grants that the rules prescribe for these requests, one slot, worked out by hand-sized steps. */
function prescribed(requests: readonly LedgerEntry[]): string[] {
  const waiting = [...requests];
  const served = new Map<string, number>();
  const order: string[] = [];
  let turn = 0;
  const leastRecent = (keys: readonly string[]): string | undefined =>
    [...new Set(keys)].reduce(
      (best, key) => ((served.get(key) ?? -1) < (served.get(best) ?? -1) ? key : best),
      keys[0] ?? '',
    );
  while (waiting.length > 0) {
    const both = new Set(waiting.map((entry) => entry.class)).size === 2;
    const jobClass = both ? (turn % 4 === 3 ? 'background' : 'interactive') : waiting[0]?.class;
    if (both) turn += 1;
    const ofClass = waiting.filter((entry) => entry.class === jobClass);
    const workspace = leastRecent(ofClass.map((entry) => `${entry.class}/${entry.workspace}`));
    const ofWorkspace = ofClass.filter((entry) => `${entry.class}/${entry.workspace}` === workspace);
    const user = leastRecent(ofWorkspace.map((entry) => `${entry.class}/${entry.workspace}/${entry.user}`));
    const next = ofWorkspace.find((entry) => `${entry.class}/${entry.workspace}/${entry.user}` === user);
    if (next === undefined) throw new Error('unreachable');
    waiting.splice(waiting.indexOf(next), 1);
    order.push(next.job);
    served.set(workspace ?? '', order.length);
    served.set(user ?? '', order.length);
  }
  return order;
}

test('A4: 40 jobs at once with capacity 2: the node never has more than two sessions', async () => {
  const world = await startWorld({
    sessions: 4,
    limits: { running: 2, runningPerUser: 2, runningPerWorkspace: 2 },
    bounds,
  });
  try {
    await runAll(world);
    expect(await mostSessions(world)).toBe(2);
  } finally {
    await world.close();
  }
}, 240_000);

test('40 jobs at once with capacity 1: the grants come in exactly the prescribed order', async () => {
  const world = await startWorld({ sessions: 4, limits: { running: 1 }, bounds });
  try {
    const ledger = await runAll(world);
    expect(await mostSessions(world)).toBe(1);
    const granted = ledger.filter(({ event }) => event === 'granted').map(({ job }) => job);
    expect(granted).toEqual(prescribed(ledger.filter(({ event }) => event === 'requested')));
  } finally {
    await world.close();
  }
}, 240_000);
