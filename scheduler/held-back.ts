import type pg from 'pg';
import { runStatement } from './pool.js';

/** What keeps Postgres from removing rows that are no longer needed. */
export interface HeldBack {
  /** How many transactions' old rows it keeps. */
  readonly transactions: number;
  /** Who: a connection with its program, a prepared transaction or a replication slot. */
  readonly by: string;
}

/**
 * The oldest snapshot of the server, where there is one: an open transaction that nobody ends, or a replica that is gone.
 * Every call of the scheduler rewrites a few rows, so old ones that stay make all of them slower.
 */
export async function whatIsHeldBack(pool: pg.Pool): Promise<HeldBack | undefined> {
  const [row] = await runStatement<{ transactions: number; by: string }>(
    pool,
    `select transactions, by from (
       select age(backend_xmin) as transactions,
         format('connection %s of %s, %s', pid, coalesce(nullif(application_name, ''), 'a program without a name'), state) as by
       from pg_stat_activity where backend_xmin is not null and pid <> pg_backend_pid()
       union all
       select age(transaction), format('prepared transaction %s', gid) from pg_prepared_xacts
       union all
       select age(coalesce(xmin, catalog_xmin)), format('replication slot %s', slot_name)
       from pg_replication_slots where coalesce(xmin, catalog_xmin) is not null
     ) held order by transactions desc limit 1`,
    [],
  );
  return row;
}
