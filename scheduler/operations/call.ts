import type pg from 'pg';
import type { Grant, Granted } from '../capacity.js';
import { runStatement } from '../pool.js';

export interface GrantsRow extends pg.QueryResultRow {
  readonly grants: readonly Grant[];
}

/** Calls the SQL functions of one database. */
export interface Caller {
  readonly pool: pg.Pool;
  /** For an operation whose function answers with exactly one row. */
  readonly call: <Row extends pg.QueryResultRow>(text: string, ...values: readonly unknown[]) => Promise<Row>;
  /** For one that answers with nothing but what it granted on its way. */
  readonly granted: (text: string, ...values: readonly unknown[]) => Promise<Granted>;
}

export function createCaller(pool: pg.Pool): Caller {
  const call = async <Row extends pg.QueryResultRow>(text: string, ...values: readonly unknown[]): Promise<Row> => {
    const [row] = await runStatement<Row>(pool, text, values);
    if (row === undefined) throw new Error(`no answer to ${text}`);
    return row;
  };
  return {
    pool,
    call,
    granted: async (text, ...values) => {
      const { grants } = await call<GrantsRow>(text, ...values);
      return { grants };
    },
  };
}
