import { describe, expect, test } from 'vitest';
import { type Capacity, createCapacity, type Grant, whatIsHeldBack } from '../../scheduler/index.js';
import { expectSound, fleet, grantsIn, leases, runAll } from './crowd.js';
import { requestOf, useDatabase } from './scene.js';

const world = useDatabase(8);

describe('faults of connections and processes', () => {
  test('Q2: a call that is cut before its commit has changed nothing, and may be repeated', async () => {
    const { capacity, limits } = await fleet(world.pool, { running: 1 });
    const victim = await world.pool.connect();
    await victim.query('begin');
    await victim.query(requestCall, ['a']);
    const { rows } = await victim.query<{ pid: number }>('select pg_backend_pid() as pid');
    const waiting = capacity.request(requestOf('b'));
    await terminate(rows[0]?.pid);
    victim.release(true);
    expect(await waiting).toMatchObject({ state: 'granted' });
    expect(await capacity.request(requestOf('a'))).toMatchObject({ state: 'queued' });
    await expectSound(world.pool, capacity, limits);
  });

  test('Q2: an error between the statements of an operation undoes all of it', async () => {
    const { capacity, limits } = await fleet(world.pool, {});
    const tables = ['request', 'reservation', 'ledger', 'node', 'worker', 'workspace', 'account', 'member', 'job'];
    for (const table of tables) {
      await failWrites(table);
      await expect(capacity.request(requestOf('a'))).rejects.toThrow('fault point');
      await world.pool.query(`drop trigger fault on darkroom.${table}`);
      expect(await capacity.snapshot()).toMatchObject({ running: 0, waiting: { interactive: 0 }, reservations: [] });
      expect(await capacity.ledger()).toEqual([]);
      await expectSound(world.pool, capacity, limits);
    }
    await world.pool.query('drop function darkroom_fault');
    expect(await capacity.request(requestOf('a'))).toMatchObject({ state: 'granted' });
  });

  test('Q11: after everybody was cut off at once, the next grant counts the leases that are still there', async () => {
    const { capacity, limits } = await fleet(world.pool, { running: 2 });
    await Promise.all(['a', 'b', 'c', 'd'].map((job) => capacity.request(requestOf(job))));
    await cutAllConnections();
    const restarted = createCapacity(world.database.connect(8));
    expect(await restarted.request(requestOf('e'))).toMatchObject({ state: 'queued' });
    expect((await restarted.sweep()).grants).toEqual([]);
    const { reservations } = await restarted.snapshot();
    expect(reservations).toHaveLength(2);
    await expectSound(world.pool, restarted, limits);
  });

  test('Q21: a reservation whose job row is gone is freed like any other', async () => {
    const { capacity, limits } = await fleet(world.pool, { running: 1 });
    const [grant] = grantsIn([await capacity.request(requestOf('a'))]);
    if (grant === undefined) throw new Error('a is granted');
    await world.pool.query(`delete from darkroom.job where job = 'a'`);
    await world.pool.query('delete from darkroom.node; delete from darkroom.worker');
    expect(await capacity.request(requestOf('b'))).toMatchObject({ state: 'queued' });
    const { freed } = await capacity.sweep(new Date(Date.now() + leases.leaseMs));
    expect(freed).toEqual([{ reservation: grant.reservation, generation: 1 }]);
    await expectSound(world.pool, capacity, limits);
  });

  test('Q25: a sweep that is cut is done again by the next', async () => {
    const { capacity, limits } = await fleet(world.pool, {});
    await Promise.all(['a', 'b', 'c'].map((job) => capacity.request(requestOf(job))));
    const later = new Date(Date.now() + leases.leaseMs);
    const victim = await world.pool.connect();
    await victim.query('begin');
    await victim.query('select darkroom.sweep($1)', [later]);
    await victim.query('rollback');
    victim.release();
    expect((await capacity.sweep(later)).freed).toHaveLength(3);
    await expectSound(world.pool, capacity, limits);
  });

  test('Q24: five thousand who wait and ask again on ten connections hold up nobody who gives back or is granted', async () => {
    const waiting = 5_000;
    const { capacity, limits } = await fleet(world.pool, {
      running: 1,
      waiting,
      waitingPerWorkspace: waiting,
      waitingPerUser: waiting,
    });
    const first = await capacity.request(requestOf('first'));
    if (first.state !== 'granted') throw new Error('nobody else was there');
    const jobs = Array.from({ length: waiting }, (_, index) => requestOf(`job${String(index)}`));
    const crowd = world.database.connect(10);
    const askAll = (): Promise<unknown>[] => jobs.map((request) => createCapacity(crowd).request(request));
    await Promise.all(askAll());
    const answered = { count: 0 };
    const asking = askAll().map((answer) => answer.then(() => (answered.count += 1)));
    const { grants } = await capacity.release(first.grant);
    expect(grants).toHaveLength(1);
    expect(answered.count).toBeLessThan(waiting / 2);
    await Promise.all(asking);
    await expectSound(world.pool, capacity, limits);
  });

  test('Q27: no function sends a notification that could be lost: who waits is found by asking and by the tick', async () => {
    const bodies = await world.pool.query(
      `select proname from pg_proc where pronamespace = 'darkroom'::regnamespace and prosrc ~* 'notify|listen'`,
    );
    expect(bodies.rows).toEqual([]);
  });

  test('Q29: a transaction that nobody ends is named, with how much it keeps Postgres from removing', async () => {
    const { capacity } = await fleet(world.pool, {});
    const holder = await world.pool.connect();
    await holder.query("begin isolation level repeatable read; set local application_name = 'forgotten report'");
    await holder.query('select from darkroom.control');
    for (const job of ['a', 'b', 'c']) await capacity.request(requestOf(job));
    const held = await whatIsHeldBack(world.pool);
    expect(held?.by).toMatch(/^connection \d+ of forgotten report, idle in transaction$/);
    expect(held?.transactions).toBeGreaterThanOrEqual(3);
    await holder.query('commit');
    holder.release();
    expect((await whatIsHeldBack(world.pool))?.by ?? '').not.toContain('forgotten report');
  });

  test('Q28: nothing is locked once an operation is over, and no operation takes an advisory lock', async () => {
    const { capacity } = await fleet(world.pool, { running: 1 });
    await Promise.all(['a', 'b', 'c'].map((job) => capacity.request(requestOf(job))));
    await capacity.sweep();
    const locks = await world.pool.query(
      `select from pg_locks join pg_stat_activity using (pid)
       where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
    );
    expect(locks.rowCount).toBe(0);
    const bodies = await world.pool.query(
      `select proname from pg_proc where pronamespace = 'darkroom'::regnamespace and prosrc ilike '%advisory%'`,
    );
    expect(bodies.rows).toEqual([]);
  });

  test('Q3: a thousand tickets of one transaction have one order, and every cap holds', async () => {
    const { capacity, limits } = await fleet(world.pool, { running: 4, runningPerWorkspace: 1 });
    const client = await world.pool.connect();
    await client.query('begin');
    await client.query(`
      select darkroom.request('job' || n, 'run', 1, 'page_screenshot', 'interactive', 'w' || n % 3, 'user', 1, 'd',
                              null, null, 60000, now())
      from generate_series(1, 1000) n`);
    await client.query('commit');
    client.release();
    const { reservations } = await capacity.snapshot();
    expect(reservations.map(({ job }) => job)).toEqual(['job1', 'job2', 'job3']);
    const order = await runAll(capacity, heldOf(await capacity.ledger()), 60);
    const ofOne = order.filter((job) => Number(job.slice(3)) % 3 === 1).map((job) => Number(job.slice(3)));
    expect(ofOne).toEqual([...ofOne].sort((a, b) => a - b));
    expect(order).toHaveLength(60);
    await expectSound(world.pool, capacity, limits);
  });
});

const requestCall = `select answer from darkroom.request(
  $1, 'run', 1, 'page_screenshot', 'interactive', 'workspace', 'user', 1, 'digest', null, null, 60000)`;

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
  const client = await world.pool.connect();
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
