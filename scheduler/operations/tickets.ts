import type { Capacity, RequestAnswer, WithdrawAnswer } from '../capacity.js';
import type { Caller, GrantsRow } from './call.js';

/** Into the queue, out of it, and back. */
export function ticketOperations({ call }: Caller): Pick<Capacity, 'request' | 'withdraw' | 'requeue'> {
  return {
    async request(request, at) {
      const { ticket } = request;
      const row = await call<GrantsRow & { answer: RequestAnswer }>(
        'select answer, grants from darkroom.request($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)',
        ticket.job,
        ticket.runId,
        ticket.attempt,
        request.kind,
        request.class,
        request.workspace,
        request.user,
        request.contractVersion,
        request.inputDigest,
        request.artifact?.id ?? null,
        request.artifact?.version ?? null,
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
  };
}
