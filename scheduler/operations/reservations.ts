import type { Capacity, Commit, Consumed, Grant, ReservationRef, StoredResult, Sweep } from '../capacity.js';
import type { Caller, GrantsRow } from './call.js';

/** The largest result that `commit` takes, in bytes of its JSON. */
export const longestResultBytes = 16_384;

/** What holds capacity, and the result that it makes: use it, extend it, end it. */
export function reservationOperations({
  call,
}: Caller): Pick<
  Capacity,
  | 'activate'
  | 'commit'
  | 'consume'
  | 'renew'
  | 'release'
  | 'quarantine'
  | 'confirmGone'
  | 'free'
  | 'sweep'
  | 'delivered'
> {
  return {
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

    async consume({ job, by, artifact, inputDigest }, at) {
      const { answer } = await call<{ answer: Consumed }>(
        'select answer from darkroom.consume($1, $2, $3, $4, $5, $6)',
        job,
        by,
        artifact?.id ?? null,
        artifact?.version ?? null,
        inputDigest,
        at ?? null,
      );
      return answer;
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

    async quarantine(ref, reason, at) {
      const { quarantined, grants } = await call<GrantsRow & { quarantined: boolean }>(
        'select quarantined, grants from darkroom.quarantine($1, $2, $3, $4)',
        ref.reservation,
        ref.generation,
        reason,
        at ?? null,
      );
      return { quarantined, grants };
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

    async free(reservation, at) {
      const { freed, grants } = await call<GrantsRow & { freed: boolean }>(
        'select freed, grants from darkroom.free($1, $2)',
        reservation,
        at ?? null,
      );
      return { freed, grants };
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
