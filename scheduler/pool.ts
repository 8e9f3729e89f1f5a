import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

export interface PoolConfig {
  readonly connectionString: string;
  /** Connections at most. Every operation passes one lock, so a few are enough; give grants a pool of their own. */
  readonly max: number;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  /** An idle connection broke. It is replaced on the next use; this is for the log. */
  readonly onIdleError: (error: Error) => void;
  /** How long a caller waits for a free connection. */
  readonly connectTimeoutMs?: number;
  /** How long a statement may run, at least 1. The caller hears within 2 s more, even if the server does not answer. */
  readonly statementTimeoutMs?: number;
  readonly lockTimeoutMs?: number;
}

/** serialization_failure, deadlock_detected, lock_not_available: nothing was done, and trying again is the answer. */
const retryable = new Set(['40001', '40P01', '55P03']);
const attempts = 5;
const firstPauseMs = 20;
/** The server cancels first, and says so: only a connection that is cut off without a word reaches the client's limit. */
const answerGraceMs = 2_000;

/**
 * A pool whose statements are all bounded, so that one stuck caller cannot hold the lock that everybody needs.
 * A pooler in between must pass `statement_timeout`, `lock_timeout` and `idle_in_transaction_session_timeout` on.
 */
export function createPool(config: PoolConfig): pg.Pool {
  const statementTimeoutMs = config.statementTimeoutMs ?? 10_000;
  const pool = new pg.Pool({
    connectionString: config.connectionString,
    max: config.max,
    application_name: config.applicationName,
    connectionTimeoutMillis: config.connectTimeoutMs ?? 5_000,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + answerGraceMs,
    keepAlive: true,
    lock_timeout: config.lockTimeoutMs ?? 5_000,
    idle_in_transaction_session_timeout: 10_000,
  });
  pool.on('error', config.onIdleError);
  // The pool listens to idle connections only. One that breaks between two statements says so at its next statement, but
  // without a listener it would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/**
 * Runs one statement on a connection of the pool, again when Postgres says that nothing was done. A connection that
 * lost its server, or reached one that only reads, is dropped instead of going back to the pool.
 */
export async function runStatement<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await onConnection(pool, async (client) => (await client.query<Row>(text, [...values])).rows);
    } catch (error) {
      if (attempt === attempts || !retryable.has(sqlState(error) ?? '')) throw error;
      await delay(firstPauseMs * 2 ** attempt * Math.random());
    }
  }
}

/** Runs `work` in one transaction on one connection. */
export async function inTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  return onConnection(pool, async (client) => {
    await client.query('begin');
    try {
      const value = await work(client);
      await client.query('commit');
      return value;
    } catch (error) {
      // A broken connection has rolled back by itself; the first error is the one to tell.
      if (!mustDrop(error)) await client.query('rollback');
      throw error;
    }
  });
}

async function onConnection<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let drop = false;
  try {
    return await work(client);
  } catch (error) {
    drop = mustDrop(error);
    throw error;
  } finally {
    client.release(drop);
  }
}

/**
 * Read-only server (after a failover), shutdown, connection errors, or an error that is not from the server at all, such
 * as the client's own time-out: its statement may still be running.
 */
function mustDrop(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined || state === '25006' || state === '57P01' || state.startsWith('08');
}

/** Shut down, starting, full, taken over or not reached: a moment later it may answer. What was asked may have been done. */
export function isServerAway(error: unknown): boolean {
  const state = sqlState(error);
  return (mustDrop(error) && !(error instanceof RangeError)) || state === '57P03' || state === '53300';
}

function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}
