import type { LedgerEntry, QuarantineReason } from '../../../scheduler/index.js';
import type { ModelState, Request, Reservation } from './state.js';

export function endReservation(
  state: ModelState,
  reservation: Reservation,
  event: LedgerEntry['event'],
  reason: string | null,
  now: number,
): void {
  reservation.state = 'ended';
  endHold(state, reservation);
  state.record(event, reservation, reason, now);
  beginDeadline(state, reservation.job.job, now);
}

export function quarantineReservation(
  state: ModelState,
  reservation: Reservation,
  reason: QuarantineReason,
  now: number,
): void {
  reservation.state = 'quarantined';
  reservation.reason = reason;
  reservation.quarantinedAt = now;
  endHold(state, reservation);
  state.record('quarantined', reservation, reason, now);
}

/** The request no longer holds this reservation; one that waits again, or holds another, is left alone. */
function endHold(state: ModelState, reservation: Reservation): void {
  const request = state.requests.get(reservation.job.job);
  if (request?.state === 'held' && request.last === reservation) request.state = 'ended';
}

export function beginDeadline(state: ModelState, job: string, now: number): void {
  const request = state.requests.get(job);
  const quarantined = state.live().some((other) => other.job.job === job && other.state === 'quarantined');
  if (request?.deadline === null && !quarantined) request.deadline = now + request.queueMs;
}

export function closeRequest(state: ModelState, request: Request): void {
  state.requests.delete(request.job.job);
  state.bury(request.ticket);
}

export function forgetEmptyNodes(state: ModelState): void {
  const used = new Set(state.live().map((reservation) => reservation.node));
  for (const [name, node] of state.nodes) {
    if (node.draining && !used.has(name)) state.nodes.delete(name);
  }
}
