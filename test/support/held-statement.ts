import type pg from 'pg';
import { eventually } from './eventually.js';
import type { World } from './world.js';

/** A statement of a worker, stopped within its transaction at a write that a trigger waits at. */
export interface HeldStatement {
  /** Settles when a statement has come to the write. */
  reached(): Promise<void>;
  /** Lets the write happen, and the statement commit; nothing is held from now on. */
  release(): Promise<void>;
  /** Ends the statement's connection, so that its transaction never was; nothing is held from now on. */
  cut(): Promise<void>;
}

const LOCK = 4_711;

/** Holds the next write to a table of the world's own database; `when` is a condition on `new` and `old`. */
export async function holdWrite(
  { pool }: World,
  write: 'insert' | 'update',
  table: string,
  when = 'true',
): Promise<HeldStatement> {
  const holder: pg.PoolClient = await pool.connect();
  await holder.query('select pg_advisory_lock($1)', [LOCK]);
  await holder.query(`
    create or replace function darkroom_hold() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock(${String(LOCK)}); return new; end $$;
    create trigger hold before ${write} on darkroom.${table} for each row when (${when}) execute function darkroom_hold()`);
  const waiting = async (): Promise<readonly number[]> => {
    const { rows } = await holder.query<{ pid: number }>(
      `select pid from pg_locks join pg_database d on d.oid = database
       where locktype = 'advisory' and not granted and datname = current_database()`,
    );
    return rows.map(({ pid }) => pid);
  };
  const end = async (): Promise<void> => {
    await holder.query('select pg_advisory_unlock($1)', [LOCK]);
    // It waits for the statement, which holds its table.
    await holder.query(`drop trigger hold on darkroom.${table}`);
    holder.release();
  };
  return {
    reached: async () => {
      await eventually(waiting, (pids) => pids.length > 0);
    },
    release: end,
    cut: async () => {
      for (const pid of await waiting()) await holder.query('select pg_terminate_backend($1)', [pid]);
      await eventually(waiting, (pids) => pids.length === 0);
      await end();
    },
  };
}
