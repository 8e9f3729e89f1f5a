import fc from 'fast-check';
import type pg from 'pg';
import { describe, expect, test } from 'vitest';
import {
  type Capacity,
  createCapacity,
  type Grant,
  type Leases,
  type Limits,
  type RequestAnswer,
} from '../../scheduler/index.js';
import { findDrift } from './drift.js';
import { LedgerUsage } from './properties.js';
import { node, requestOf, useDatabase, wideLimits, worker } from './scene.js';

const connections = 32;
const world = useDatabase(connections);
/** Long enough for a slow machine: these tests live by the real clock. */
const leases: Leases = { leaseMs: 600_000, connectMs: 15_000, workerSuspectMs: 600_000 };

async function fleet(limits: Partial<Limits>): Promise<{ capacity: Capacity; limits: Limits }> {
  const capacity = createCapacity(world.pool);
  const all = { ...wideLimits, ...limits };
  await capacity.applyLimits(all, leases);
  await capacity.applyNodes([node('n1'), node('n2')]);
  await capacity.registerWorker(worker('w1'));
  await capacity.registerWorker(worker('w2'));
  return { capacity, limits: all };
}

/** What the ledger says of the whole past: no limit was ever exceeded, and all that is kept agrees with the rows. */
async function expectSound(capacity: Capacity, limits: Limits): Promise<void> {
  const usage = new LedgerUsage();
  const lines = await capacity.ledger();
  expect(lines.flatMap((line) => usage.take(line, limits))).toEqual([]);
  expect((await capacity.snapshot()).running).toBe(usage.running);
  expect(await findDrift(world.pool)).toEqual([]);
}

/** Releases what it is granted and whatever that grants, until nothing waits or `most` jobs were granted. */
async function runAll(capacity: Capacity, first: readonly Grant[], most = Infinity): Promise<string[]> {
  const order: string[] = [];
  for (let held = [...first]; held.length > 0 && order.length < most;) {
    order.push(...held.map((grant) => grant.ticket.job));
    const released = await Promise.all(held.map((grant) => capacity.release(grant)));
    held = released.flatMap(({ grants }) => grants);
  }
  return order;
}

function grantsIn(answers: readonly RequestAnswer[]): Grant[] {
  return answers.flatMap((answer) => (answer.state === 'granted' ? [answer.grant] : []));
}

describe('concurrent callers', () => {
  test.each([
    ['Q15: 500 parallel starts with limit 5', 500, { running: 5 }],
    ['A4: 200 parallel starts with limit 1', 200, { running: 1 }],
    ['Q20: 100 parallel starts with limit 1 per user', 100, { runningPerUser: 1 }],
    ['A4: 100 parallel starts with limit 2 per workspace', 100, { runningPerWorkspace: 2 }],
  ])('%s never exceed it, and all are granted in the end', async (_, count, narrow: Partial<Limits>) => {
    const { capacity, limits } = await fleet(narrow);
    const jobs = Array.from({ length: count }, (__, n) => `job${n}`);
    const answers = await Promise.all(jobs.map((job) => capacity.request(requestOf(job))));
    const first = grantsIn(answers);
    expect(first).toHaveLength(Math.min(...Object.values(narrow)));
    expect((await runAll(capacity, first)).sort()).toEqual(jobs.sort());
    await expectSound(capacity, limits);
  });

  test('the same request at once is one request, and all callers get the one grant', async () => {
    const { capacity, limits } = await fleet({});
    const answers = await Promise.all(Array.from({ length: connections }, () => capacity.request(requestOf('a'))));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect((await capacity.ledger()).map((line) => line.event)).toEqual(['requested', 'granted']);
    await expectSound(capacity, limits);
  });

  test('the same release at once frees once', async () => {
    const { capacity, limits } = await fleet({ running: 1 });
    const [grant] = grantsIn([await capacity.request(requestOf('a'))]);
    if (grant === undefined) throw new Error('a is granted');
    await Promise.all(['b', 'c'].map((job) => capacity.request(requestOf(job))));
    const answers = await Promise.all(Array.from({ length: connections }, () => capacity.release(grant)));
    expect(answers.filter(({ released }) => released)).toHaveLength(1);
    expect(answers.flatMap(({ grants }) => grants)).toHaveLength(1);
    await expectSound(capacity, limits);
  });

  test('two workers that activate the same grant: one is active, the other stale', async () => {
    const { capacity } = await fleet({});
    const [grant] = grantsIn([await capacity.request(requestOf('a'))]);
    if (grant === undefined) throw new Error('a is granted');
    const nonces = Array.from({ length: connections }, (_, n) => `nonce${n}`);
    const answers = await Promise.all(nonces.map((nonce) => capacity.activate(grant, nonce)));
    expect(answers.filter(({ state }) => state === 'active')).toHaveLength(1);
  });

  test('two commits of the same job at once leave one result', async () => {
    const { capacity } = await fleet({});
    const [grant] = grantsIn([await capacity.request(requestOf('a'))]);
    if (grant === undefined) throw new Error('a is granted');
    await capacity.activate(grant, 'nonce');
    const commit = { ...grant, job: 'a', attempt: 1, result: {} };
    const answers = await Promise.all(Array.from({ length: connections }, () => capacity.commit(commit)));
    expect(answers.filter(({ state }) => state === 'committed')).toHaveLength(1);
    expect(answers.filter(({ state }) => state === 'already')).toHaveLength(connections - 1);
  });

  test('with both classes waiting throughout, any four grants in a row hold three interactive', async () => {
    const { capacity, limits } = await fleet({ running: 1 });
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
    await expectSound(capacity, limits);
  });

  test.each([1, 2])('any mix of operations from 32 connections keeps a limit of %i and every rule', async (running) => {
    const { capacity, limits } = await fleet({ running, runningPerUser: 1, waiting: 40 });
    const random = fc.sample(fc.infiniteStream(fc.nat({ max: 99 })), { numRuns: connections, seed: 20_261_130 });
    await Promise.all(random.map((dice, caller) => mixedCaller(capacity, dice, caller)));
    await expectSound(capacity, limits);
    const far = new Date(Date.now() + 3_600_000);
    await capacity.pause(true, far);
    await capacity.sweep(far);
    expect(await capacity.snapshot(far)).toMatchObject({ running: 0, waiting: { interactive: 0, background: 0 } });
    await expectSound(capacity, limits);
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

describe('faults of connections and processes', () => {
  test('Q2: a call that is cut before its commit has changed nothing, and may be repeated', async () => {
    const { capacity, limits } = await fleet({ running: 1 });
    const victim = await world.pool.connect();
    await victim.query('begin');
    await victim.query(requestCall, ['a']);
    const { rows } = await victim.query<{ pid: number }>('select pg_backend_pid() as pid');
    const waiting = capacity.request(requestOf('b'));
    await terminate(rows[0]?.pid);
    victim.release(true);
    expect(await waiting).toMatchObject({ state: 'granted' });
    expect(await capacity.request(requestOf('a'))).toMatchObject({ state: 'queued' });
    await expectSound(capacity, limits);
  });

  test('Q2: an error between the statements of an operation undoes all of it', async () => {
    const { capacity, limits } = await fleet({});
    const tables = ['request', 'reservation', 'ledger', 'node', 'worker', 'workspace', 'account', 'member', 'job'];
    for (const table of tables) {
      await failWrites(table);
      await expect(capacity.request(requestOf('a'))).rejects.toThrow('fault point');
      await world.pool.query(`drop trigger fault on darkroom.${table}`);
      expect(await capacity.snapshot()).toMatchObject({ running: 0, waiting: { interactive: 0 }, reservations: [] });
      expect(await capacity.ledger()).toEqual([]);
      await expectSound(capacity, limits);
    }
    await world.pool.query('drop function darkroom_fault');
    expect(await capacity.request(requestOf('a'))).toMatchObject({ state: 'granted' });
  });

  test('Q11: after everybody was cut off at once, the next grant counts the leases that are still there', async () => {
    const { capacity, limits } = await fleet({ running: 2 });
    await Promise.all(['a', 'b', 'c', 'd'].map((job) => capacity.request(requestOf(job))));
    await cutAllConnections();
    const restarted = createCapacity(world.database.connect(8));
    expect(await restarted.request(requestOf('e'))).toMatchObject({ state: 'queued' });
    expect((await restarted.sweep()).grants).toEqual([]);
    const { reservations } = await restarted.snapshot();
    expect(reservations).toHaveLength(2);
    await expectSound(restarted, limits);
  });

  test('Q21: a reservation whose job row is gone is freed like any other', async () => {
    const { capacity, limits } = await fleet({ running: 1 });
    const [grant] = grantsIn([await capacity.request(requestOf('a'))]);
    if (grant === undefined) throw new Error('a is granted');
    await world.pool.query(`delete from darkroom.job where job = 'a'`);
    await world.pool.query('delete from darkroom.node; delete from darkroom.worker');
    expect(await capacity.request(requestOf('b'))).toMatchObject({ state: 'queued' });
    const { freed } = await capacity.sweep(new Date(Date.now() + leases.leaseMs));
    expect(freed).toEqual([{ reservation: grant.reservation, generation: 1 }]);
    await expectSound(capacity, limits);
  });

  test('Q25: a sweep that is cut is done again by the next', async () => {
    const { capacity, limits } = await fleet({});
    await Promise.all(['a', 'b', 'c'].map((job) => capacity.request(requestOf(job))));
    const later = new Date(Date.now() + leases.leaseMs);
    const victim = await world.pool.connect();
    await victim.query('begin');
    await victim.query('select darkroom.sweep($1)', [later]);
    await victim.query('rollback');
    victim.release();
    expect((await capacity.sweep(later)).freed).toHaveLength(3);
    await expectSound(capacity, limits);
  });

  test('Q28: nothing is locked once an operation is over, and no operation takes an advisory lock', async () => {
    const { capacity } = await fleet({ running: 1 });
    await Promise.all(['a', 'b', 'c'].map((job) => capacity.request(requestOf(job))));
    await capacity.sweep();
    const locks = await world.pool.query(
      `select from pg_locks where locktype = 'advisory' or (locktype = 'transactionid' and pid <> pg_backend_pid())`,
    );
    expect(locks.rowCount).toBe(0);
    const bodies = await world.pool.query(
      `select proname from pg_proc where pronamespace = 'darkroom'::regnamespace and prosrc ilike '%advisory%'`,
    );
    expect(bodies.rows).toEqual([]);
  });

  test('Q3: a thousand tickets of one transaction have one order, and every cap holds', async () => {
    const { capacity, limits } = await fleet({ running: 4, runningPerWorkspace: 1 });
    const client = await world.pool.connect();
    await client.query('begin');
    await client.query(`
      select darkroom.request('job' || n, 'run', 1, 'page_screenshot', 'interactive', 'w' || n % 3, 'user', 1, 'd', 60000,
                              now())
      from generate_series(1, 1000) n`);
    await client.query('commit');
    client.release();
    const { reservations } = await capacity.snapshot();
    expect(reservations.map(({ job }) => job)).toEqual(['job1', 'job2', 'job3']);
    const order = await runAll(capacity, heldOf(await capacity.ledger()), 60);
    const ofOne = order.filter((job) => Number(job.slice(3)) % 3 === 1).map((job) => Number(job.slice(3)));
    expect(ofOne).toEqual([...ofOne].sort((a, b) => a - b));
    expect(order).toHaveLength(60);
    await expectSound(capacity, limits);
  });
});

const requestCall = `select answer from darkroom.request(
  $1, 'run', 1, 'page_screenshot', 'interactive', 'workspace', 'user', 1, 'digest', 60000)`;

/** Handles on what was granted, as only the ledger knows it. */
function heldOf(lines: Awaited<ReturnType<Capacity['ledger']>>): Grant[] {
  return lines.flatMap(({ event, reservation, job, attempt, node: on, worker: by }) => {
    if (event !== 'granted' || reservation === null || on === null || by === null) return [];
    const ticket = { job, runId: 'run', attempt };
    return [{ reservation, generation: 1, ticket, node: on, worker: by, waitedMs: 0, refusals: 0 }];
  });
}

async function terminate(pid: number | undefined): Promise<void> {
  await world.pool.query('select pg_terminate_backend($1)', [pid]);
}

async function cutAllConnections(): Promise<void> {
  const client: pg.PoolClient = await world.pool.connect();
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  );
  client.release();
}

/** Every write to the table fails, after whatever the operation did before it. */
async function failWrites(table: string): Promise<void> {
  await world.pool.query(`
    create or replace function darkroom_fault() returns trigger language plpgsql as $$
    begin raise exception 'fault point'; end $$;
    create trigger fault before insert or update on darkroom.${table} for each row execute function darkroom_fault()`);
}
