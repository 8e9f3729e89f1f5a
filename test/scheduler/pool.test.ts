import { expect, test } from 'vitest';
import { runStatement } from '../../scheduler/pool.js';
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

test('a connection whose statement was wrong goes back to the pool', async () => {
  const statement = await failing('22012', 1);
  await expect(runStatement(world.pool, statement, [])).rejects.toMatchObject({ code: '22012' });
  expect(world.pool.totalCount).toBe(1);
});
