import type pg from 'pg';
import type { Capacity, CapacitySnapshot, LedgerEntry, StoredResult } from '../capacity.js';
import { runStatement } from '../pool.js';
import type { Caller } from './call.js';

interface LedgerRow extends pg.QueryResultRow {
  readonly seq: string;
  readonly at: Date;
  readonly event: LedgerEntry['event'];
  readonly job: string;
  readonly attempt: number;
  readonly reservation: string | null;
  readonly class: LedgerEntry['class'];
  readonly workspace: string;
  readonly user_id: string;
  readonly node: string | null;
  readonly worker: string | null;
  readonly reason: string | null;
}

/** What only reads, without the lock. */
export function views({ pool, call }: Caller): Pick<Capacity, 'result' | 'snapshot' | 'ledger'> {
  return {
    async result(job) {
      const { result } = await call<{ result: StoredResult | null }>('select darkroom.result_of($1) as result', job);
      return result;
    },

    async snapshot(at) {
      const { snapshot } = await call<{ snapshot: CapacitySnapshot }>(
        'select darkroom.snapshot($1) as snapshot',
        at ?? null,
      );
      return snapshot;
    },

    async ledger(afterSeq) {
      const rows = await runStatement<LedgerRow>(pool, 'select * from darkroom.ledger_after($1)', [afterSeq ?? 0]);
      return rows.map(toLedgerEntry);
    },
  };
}

function toLedgerEntry(row: LedgerRow): LedgerEntry {
  return {
    seq: Number(row.seq),
    atMs: row.at.getTime(),
    event: row.event,
    job: row.job,
    attempt: row.attempt,
    reservation: row.reservation,
    class: row.class,
    workspace: row.workspace,
    user: row.user_id,
    node: row.node,
    worker: row.worker,
    reason: row.reason,
  };
}
