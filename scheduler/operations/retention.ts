import type { Ticket } from '../capacity.js';
import type { Forgotten, KeptResult, RetentionStore } from '../retention.js';
import type { Caller } from './call.js';

export function retentionOperations({ call }: Caller): RetentionStore {
  return {
    async apply(retention) {
      await call('select darkroom.apply_retention($1)', JSON.stringify(retention));
    },

    async expired(most, at) {
      const { results } = await call<{ results: readonly KeptResult[] }>(
        'select darkroom.expired_results($1, $2) as results',
        most,
        at ?? null,
      );
      return results;
    },

    async clear(results, reason, at) {
      const { cleared } = await call<{ cleared: string }>(
        'select cleared from darkroom.clear_results($1, $2, $3, $4)',
        results.map(({ job }) => job),
        results.map(({ summary }) => JSON.stringify(summary)),
        reason,
        at ?? null,
      );
      return Number(cleared);
    },

    async kept(after, until, before, at) {
      const { results } = await call<{ results: readonly KeptResult[] }>(
        'select darkroom.stored_results($1, $2, $3, $4) as results',
        after,
        until,
        before,
        at ?? null,
      );
      return results;
    },

    async uploads(reservations, at) {
      const { fates } = await call<{ fates: Readonly<Record<string, 'kept' | 'orphan'>> }>(
        'select darkroom.uploads($1, $2) as fates',
        [...reservations],
        at ?? null,
      );
      return fates;
    },

    async openTickets(olderMs, most, at) {
      const { tickets } = await call<{ tickets: readonly Ticket[] }>(
        'select darkroom.open_tickets($1, $2, $3) as tickets',
        olderMs,
        most,
        at ?? null,
      );
      return tickets;
    },

    async forget(most, at) {
      const { forgotten } = await call<{ forgotten: Forgotten }>(
        'select forgotten from darkroom.forget($1, $2)',
        most,
        at ?? null,
      );
      return forgotten;
    },

    async now() {
      const { now } = await call<{ now: Date }>('select clock_timestamp() as now');
      return now;
    },
  };
}
