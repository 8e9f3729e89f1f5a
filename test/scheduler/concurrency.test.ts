import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Capacity, Grant, Limits } from '../../scheduler/index.js';
import { connections, expectSound, fleet, grantsIn, runAll } from './crowd.js';
import { requestOf, useDatabase } from './scene.js';

const world = useDatabase(connections);

describe('concurrent callers', () => {
  test.each([
    ['Q15: 500 parallel starts with limit 5', 500, { running: 5 }],
    ['A4: 200 parallel starts with limit 1', 200, { running: 1 }],
    ['Q20: 100 parallel starts with limit 1 per user', 100, { runningPerUser: 1 }],
    ['A4: 100 parallel starts with limit 2 per workspace', 100, { runningPerWorkspace: 2 }],
  ])('%s never exceed it, and all are granted in the end', async (_, count, narrow: Partial<Limits>) => {
    const { capacity, limits } = await fleet(world.pool, narrow);
    const jobs = Array.from({ length: count }, (__, n) => `job${n}`);
    const answers = await Promise.all(jobs.map((job) => capacity.request(requestOf(job))));
    const first = grantsIn(answers);
    expect(first).toHaveLength(Math.min(...Object.values(narrow)));
    expect((await runAll(capacity, first)).sort()).toEqual(jobs.sort());
    await expectSound(world.pool, capacity, limits);
  });

  test('the same request at once is one request, and all callers get the one grant', async () => {
    const { capacity, limits } = await fleet(world.pool, {});
    const answers = await Promise.all(Array.from({ length: connections }, () => capacity.request(requestOf('a'))));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect((await capacity.ledger()).map((line) => line.event)).toEqual(['requested', 'granted']);
    await expectSound(world.pool, capacity, limits);
  });

  test('the same release at once frees once', async () => {
    const { capacity, limits } = await fleet(world.pool, { running: 1 });
    const [grant] = grantsIn([await capacity.request(requestOf('a'))]);
    if (grant === undefined) throw new Error('a is granted');
    await Promise.all(['b', 'c'].map((job) => capacity.request(requestOf(job))));
    const answers = await Promise.all(Array.from({ length: connections }, () => capacity.release(grant)));
    expect(answers.filter(({ released }) => released)).toHaveLength(1);
    expect(answers.flatMap(({ grants }) => grants)).toHaveLength(1);
    await expectSound(world.pool, capacity, limits);
  });

  test('two workers that activate the same grant: one is active, the other stale', async () => {
    const { capacity } = await fleet(world.pool, {});
    const [grant] = grantsIn([await capacity.request(requestOf('a'))]);
    if (grant === undefined) throw new Error('a is granted');
    const nonces = Array.from({ length: connections }, (_, n) => `nonce${n}`);
    const answers = await Promise.all(nonces.map((nonce) => capacity.activate(grant, nonce)));
    expect(answers.filter(({ state }) => state === 'active')).toHaveLength(1);
  });

  test('two commits of the same job at once leave one result', async () => {
    const { capacity } = await fleet(world.pool, {});
    const [grant] = grantsIn([await capacity.request(requestOf('a'))]);
    if (grant === undefined) throw new Error('a is granted');
    await capacity.activate(grant, 'nonce');
    const commit = { ...grant, job: 'a', attempt: 1, result: {} };
    const answers = await Promise.all(Array.from({ length: connections }, () => capacity.commit(commit)));
    expect(answers.filter(({ state }) => state === 'committed')).toHaveLength(1);
    expect(answers.filter(({ state }) => state === 'already')).toHaveLength(connections - 1);
  });

  test('with both classes waiting throughout, any four grants in a row hold three interactive', async () => {
    const { capacity, limits } = await fleet(world.pool, { running: 1 });
    const [holder] = grantsIn([await capacity.request(requestOf('holder', { user: 'holder' }))]);
    if (holder === undefined) throw new Error('the holder is granted');
    const asked = Array.from({ length: 120 }, (_, n) => {
      const background = n % 4 === 3;
      return requestOf(`job${n}`, { class: background ? 'background' : 'interactive', user: `u${n % 5}` });
    });
    await Promise.all(asked.map((request) => capacity.request(request)));
    await runAll(capacity, [holder]);
    const classes = (await capacity.ledger()).filter(({ event }) => event === 'granted').map((line) => line.class);
    const windows = classes.slice(1, -3).map((_, n) => classes.slice(n + 1, n + 5));
    expect(windows.every((four) => four.filter((name) => name === 'interactive').length === 3)).toBe(true);
    await expectSound(world.pool, capacity, limits);
  });

  test.each([1, 2])('any mix of operations from 32 connections keeps a limit of %i and every rule', async (running) => {
    const { capacity, limits } = await fleet(world.pool, { running, runningPerUser: 1, waiting: 40 });
    const random = fc.sample(fc.infiniteStream(fc.nat({ max: 99 })), { numRuns: connections, seed: 20_261_130 });
    await Promise.all(random.map((dice, caller) => mixedCaller(capacity, dice, caller)));
    await expectSound(world.pool, capacity, limits);
    const far = new Date(Date.now() + 3_600_000);
    await capacity.pause(true, far);
    await capacity.sweep(far);
    expect(await capacity.snapshot(far)).toMatchObject({ running: 0 });
    // The deadline of a job that waited for its own session began when that sweep freed it.
    const farther = new Date(far.getTime() + 3_600_000);
    await capacity.sweep(farther);
    expect(await capacity.snapshot(farther)).toMatchObject({ waiting: { interactive: 0, background: 0 } });
    await expectSound(world.pool, capacity, limits);
  });
});

/** One of many callers: asks for its own jobs and meddles with what anybody was granted. */
async function mixedCaller(capacity: Capacity, dice: Iterator<number>, caller: number): Promise<void> {
  const roll = () => dice.next().value as number;
  const seen: Grant[] = [];
  const note = ({ grants }: { readonly grants: readonly Grant[] }) => seen.push(...grants);
  for (let turn = 0; turn < 15; turn += 1) {
    const job = `job${roll() % 40}`;
    const background = roll() % 3 === 0;
    const asked = { user: `u${roll() % 6}`, class: background ? ('background' as const) : ('interactive' as const) };
    const request = requestOf(job, { ...asked, attempt: 1 + (roll() % 2), runId: roll() % 10 === 0 ? 'reset' : 'run' });
    const answer = await capacity.request(request);
    note(answer);
    seen.push(...grantsIn([answer]));
    const held = seen.splice(roll() % Math.max(1, seen.length), 1)[0];
    if (held !== undefined) note(await meddle(capacity, held, roll(), caller));
    if (roll() < 20) note(await capacity.withdraw(request.ticket));
    if (roll() < 5) note(await capacity.sweep());
  }
  for (const grant of seen) await capacity.release(grant);
}

async function meddle(
  capacity: Capacity,
  held: Grant,
  roll: number,
  caller: number,
): Promise<{ grants: readonly Grant[] }> {
  if (roll < 20) await capacity.activate(held, `nonce${caller}`);
  if (roll < 35) return capacity.requeue(held, roll % 2 === 0 ? 'refused' : 'stale', 0);
  if (roll < 50) await capacity.quarantine(held, 'worker_lost');
  if (roll < 60) return capacity.confirmGone(held.reservation, { barred: true });
  if (roll < 65) return capacity.renew(held.worker, [held]);
  return capacity.release(held);
}
