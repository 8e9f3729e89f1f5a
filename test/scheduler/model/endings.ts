import type { LedgerEntry, QuarantineReason, RequeueReason } from '../../../scheduler/index.js';
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

/** Ends a lease that nobody gave back: freed where no session can be, quarantined where one may live on. */
export function endLease(state: ModelState, reservation: Reservation, reason: QuarantineReason, now: number): void {
  if (reservation.state === 'granted') endReservation(state, reservation, 'freed', reason, now);
  else if (reservation.state === 'active') quarantineReservation(state, reservation, reason, now);
}

function quarantineReservation(
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

/** What a requeue does with its reservation: freed where no session can be, quarantined where one may live on. */
export function giveUp(state: ModelState, reservation: Reservation, reason: RequeueReason, now: number): void {
  if (reservation.state === 'granted' || (reservation.state === 'active' && reason === 'refused')) {
    endReservation(state, reservation, 'freed', reason, now);
  } else if (reservation.state === 'active') {
    const because = reason === 'worker_missing' ? 'worker_lost' : 'superseded';
    quarantineReservation(state, reservation, because, now);
  }
}

/** The request no longer holds this reservation; one that waits again, or holds another, is left alone. */
function endHold(state: ModelState, reservation: Reservation): void {
  const request = state.requests.get(reservation.job.job);
  if (request?.state === 'held' && request.last === reservation) request.state = 'ended';
}

export function beginDeadline(state: ModelState, job: string, now: number): void {
  const request = state.requests.get(job);
  if (request?.deadline === null && !hasQuarantined(state, job)) request.deadline = now + request.queueMs;
}

/** A request that comes back while the job's own session may live has not begun to wait. */
export function suspendDeadline(state: ModelState, request: Request): void {
  if (hasQuarantined(state, request.job.job)) request.deadline = null;
}

function hasQuarantined(state: ModelState, job: string): boolean {
  return state.live().some((other) => other.job.job === job && other.state === 'quarantined');
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
