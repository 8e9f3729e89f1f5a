import type pg from 'pg';
import type {
  Capacity,
  Commit,
  Grant,
  LedgerEntry,
  ReservationRef,
  RequestAnswer,
  StoredResult,
  Sweep,
  WithdrawAnswer,
} from './capacity.js';
import type { CapacitySnapshot } from './capacity.js';
import { runStatement } from './pool.js';

/** The largest result that `commit` takes, in bytes of its JSON. */
export const longestResultBytes = 16_384;

interface GrantsRow extends pg.QueryResultRow {
  readonly grants: readonly Grant[];
}

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

/**
 * The capacity core in Postgres: one call of one SQL function per operation, each a transaction of its own. Whatever
 * fails in between has changed nothing, and may be repeated.
 */
export function createCapacity(pool: pg.Pool): Capacity {
  /** Every operation's function answers with exactly one row. */
  async function call<Row extends pg.QueryResultRow>(text: string, ...values: readonly unknown[]): Promise<Row> {
    const [row] = await runStatement<Row>(pool, text, values);
    if (row === undefined) throw new Error(`no answer to ${text}`);
    return row;
  }
  const granted = async (text: string, ...values: readonly unknown[]) => {
    const { grants } = await call<GrantsRow>(text, ...values);
    return { grants };
  };

  return {
    async request(request, at) {
      const { ticket } = request;
      const row = await call<GrantsRow & { answer: RequestAnswer }>(
        'select answer, grants from darkroom.request($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)',
        ticket.job,
        ticket.runId,
        ticket.attempt,
        request.kind,
        request.class,
        request.workspace,
        request.user,
        request.contractVersion,
        request.inputDigest,
        request.queueMs,
        at ?? null,
      );
      return { ...row.answer, grants: row.grants };
    },

    async withdraw(ticket, options, at) {
      const row = await call<GrantsRow & { answer: WithdrawAnswer }>(
        'select answer, grants from darkroom.withdraw($1, $2, $3, $4, $5)',
        ticket.job,
        ticket.runId,
        ticket.attempt,
        options?.keepGrant ?? false,
        at ?? null,
      );
      return { ...row.answer, grants: row.grants };
    },

    async activate(ref, nonce, at) {
      const { session_ms } = await call<{ session_ms: string | null }>(
        'select session_ms from darkroom.activate($1, $2, $3, $4)',
        ref.reservation,
        ref.generation,
        nonce,
        at ?? null,
      );
      return session_ms === null ? { state: 'stale' } : { state: 'active', sessionMs: Number(session_ms) };
    },

    async commit(commit, at) {
      const { state, result } = await call<{ state: Commit['state']; result: StoredResult | null }>(
        'select state, result from darkroom.commit($1, $2, $3, $4, $5, $6, $7)',
        commit.job,
        commit.attempt,
        commit.reservation,
        commit.generation,
        commit.worker,
        resultText(commit.result),
        at ?? null,
      );
      return state === 'stale' || result === null ? { state: 'stale' } : { state, result };
    },

    async renew(worker, refs, at) {
      const row = await call<GrantsRow & { lost: readonly ReservationRef[]; registered: boolean }>(
        'select registered, lost, grants from darkroom.renew($1, $2, $3, $4)',
        worker,
        ...columns(refs),
        at ?? null,
      );
      return { lost: row.lost, registered: row.registered, grants: row.grants };
    },

    async release(ref, at) {
      const { released, grants } = await call<GrantsRow & { released: boolean }>(
        'select released, grants from darkroom.release($1, $2, $3)',
        ref.reservation,
        ref.generation,
        at ?? null,
      );
      return { released, grants };
    },

    async requeue(ref, reason, delayMs, at) {
      const row = await call<GrantsRow & { requeued: boolean; answer: RequestAnswer }>(
        'select requeued, answer, grants from darkroom.requeue($1, $2, $3, $4, $5)',
        ref.reservation,
        ref.generation,
        reason,
        delayMs,
        at ?? null,
      );
      return { requeued: row.requeued, answer: row.answer, grants: row.grants };
    },

    async quarantine(ref, reason, at) {
      const { quarantined } = await call<{ quarantined: boolean }>(
        'select quarantined from darkroom.quarantine($1, $2, $3, $4)',
        ref.reservation,
        ref.generation,
        reason,
        at ?? null,
      );
      return { quarantined };
    },

    async confirmGone(reservation, options, at) {
      const row = await call<GrantsRow & { freed: boolean; lost: readonly Grant[] }>(
        'select freed, lost, grants from darkroom.confirm_gone($1, $2, $3)',
        reservation,
        options?.barred ?? false,
        at ?? null,
      );
      return { freed: row.freed, lost: row.lost, grants: row.grants };
    },

    async sweep(at) {
      const row = await call<Omit<Sweep, 'expiredRequests'> & { expired_requests: Sweep['expiredRequests'] }>(
        'select freed, lost, expired_requests, grants, undelivered, quarantined from darkroom.sweep($1)',
        at ?? null,
      );
      return {
        grants: row.grants,
        undelivered: row.undelivered,
        freed: row.freed,
        lost: row.lost,
        expiredRequests: row.expired_requests,
        quarantined: row.quarantined,
      };
    },

    async delivered(refs) {
      await call('select darkroom.delivered($1, $2)', ...columns(refs));
    },

    pause: (paused, at) => granted('select grants from darkroom.pause($1, $2)', paused, at ?? null),

    registerWorker: (registration, at) =>
      granted(
        'select grants from darkroom.register_worker($1, $2, $3, $4, $5, $6, $7)',
        registration.worker,
        registration.slots,
        registration.build,
        registration.contractVersions,
        registration.zone,
        JSON.stringify(registration.nodeHashes),
        at ?? null,
      ),

    async drainWorker(worker, at) {
      const { used } = await call<{ used: number }>(
        'select used from darkroom.drain_worker($1, $2)',
        worker,
        at ?? null,
      );
      return { used };
    },

    async removeWorker(worker, at) {
      await call('select darkroom.remove_worker($1, $2)', worker, at ?? null);
    },

    applyNodes: (nodes, at) =>
      granted('select grants from darkroom.apply_nodes($1, $2)', JSON.stringify(nodes), at ?? null),

    reportNodes: (reports, at) =>
      granted(
        'select grants from darkroom.report_nodes($1, $2, $3)',
        reports.map((report) => report.node),
        reports.map((report) => report.health),
        at ?? null,
      ),

    applyLimits: (limits, leases, at) =>
      granted(
        'select grants from darkroom.apply_limits($1, $2, $3)',
        JSON.stringify(limits),
        JSON.stringify(leases),
        at ?? null,
      ),

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

function columns(refs: readonly ReservationRef[]): [string[], number[]] {
  return [refs.map((ref) => ref.reservation), refs.map((ref) => ref.generation)];
}

function resultText(result: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(result);
  const bytes = Buffer.byteLength(text);
  if (bytes > longestResultBytes) {
    throw new RangeError(`a result has at most ${longestResultBytes} bytes of JSON; this one has ${bytes}`);
  }
  return text;
}
