import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createPool, inTransaction, runStatement } from '../../scheduler/pool.js';
import { useDatabase } from './scene.js';

const world = useDatabase(1);

/** Fails with the SQLSTATE until it has been called `failures` times; sequences do not roll back. */
async function failing(sqlState: string, failures: number): Promise<string> {
  await world.pool.query(`
    drop sequence if exists calls;
    create sequence calls;
    create or replace function flaky() returns int language plpgsql as $$
    declare call int := nextval('calls');
    begin
      if call <= ${failures} then raise exception 'fault point' using errcode = '${sqlState}'; end if;
      return call;
    end $$`);
  return 'select flaky() as call';
}

test.each(['40001', '40P01', '55P03'])('a statement that failed with %s is tried again', async (sqlState) => {
  const statement = await failing(sqlState, 2);
  expect(await runStatement(world.pool, statement, [])).toEqual([{ call: 3 }]);
});

test('a statement that keeps failing is given up with its last error', async () => {
  const statement = await failing('40001', 1_000);
  await expect(runStatement(world.pool, statement, [])).rejects.toMatchObject({ code: '40001' });
});

test.each(['25006', '57P01', '08006'])('a connection that failed with %s is dropped', async (sqlState) => {
  const statement = await failing(sqlState, 1);
  await expect(runStatement(world.pool, statement, [])).rejects.toMatchObject({ code: sqlState });
  expect(world.pool.totalCount).toBe(0);
});

test('a connection that is cut between two statements fails the second, and ends nothing else', async () => {
  const client = await world.pool.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const cut = new Promise((resolve) => client.once('end', () => resolve(undefined)));
  const other = world.database.connect(1);
  await other.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
  await cut;
  await expect(client.query('select 1')).rejects.toThrow();
  client.release(true);
});

test('a connection whose statement was wrong goes back to the pool', async () => {
  const statement = await failing('22012', 1);
  await expect(runStatement(world.pool, statement, [])).rejects.toMatchObject({ code: '22012' });
  expect(world.pool.totalCount).toBe(1);
});

test.each<readonly [string, (pool: pg.Pool) => Promise<unknown>]>([
  ['statement', (pool) => runStatement(pool, 'select 1', [])],
  ['transaction', (pool) => inTransaction(pool, (client) => client.query('select 1'))],
])('a %s on a connection that went silent fails, and the connection is dropped', async (_, work) => {
  const line = await openLine();
  const pool = createPool({
    connectionString: line.url,
    max: 1,
    applicationName: 'darkroom-test',
    statementTimeoutMs: 1,
    onIdleError: () => undefined,
  });
  onTestFinished(() => pool.end());
  (await pool.connect()).release();
  line.goSilent();
  await expect(work(pool)).rejects.toThrow('Query read timeout');
  expect(pool.totalCount).toBe(0);
});

/** A way to the database that can swallow everything without closing, as a network does that lost its route. */
async function openLine(): Promise<{ readonly url: string; goSilent(): void }> {
  const url = new URL(world.database.url);
  const { hostname, port } = url;
  const sockets: Socket[] = [];
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    sockets.push(near, far);
    // Either end may break: the test ends both.
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the line listens on no port');
  url.host = `127.0.0.1:${address.port}`;
  const goSilent = () => {
    for (const socket of sockets) socket.unpipe().resume();
  };
  return { url: url.href, goSilent };
}
