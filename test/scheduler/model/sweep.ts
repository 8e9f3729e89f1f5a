import type { QuarantinedReservation, Sweep } from '../../../scheduler/index.js';
import { closeRequest, endLease, endReservation, forgetEmptyNodes } from './endings.js';
import { compareAge, runPass } from './pass.js';
import { grantOf, type ModelState, refOf, type Reservation } from './state.js';

const redeliverAfterMs = 1_000;

export function modelSweep(state: ModelState, now: number): Sweep {
  const { freed, lost } = sweepReservations(state, now);
  const expiredRequests = sweepRequests(state, now);
  forgetEmptyNodes(state);
  forgetWorkers(state, now);
  const grants = runPass(state, now).map(grantOf);
  const undelivered = state
    .live()
    .filter(
      ({ state: at, delivered, grantedAt }) => at === 'granted' && !delivered && grantedAt + redeliverAfterMs <= now,
    );
  const quarantined = state.live().filter((reservation) => reservation.state === 'quarantined');
  return {
    grants,
    undelivered: undelivered.map(grantOf),
    freed: freed.sort(byTurn).map(refOf),
    lost: lost.sort(byTurn).map(grantOf),
    expiredRequests,
    quarantined: quarantined.map((reservation) => quarantinedView(reservation, now)),
  };
}

function sweepReservations(state: ModelState, now: number): { freed: Reservation[]; lost: Reservation[] } {
  const freed: Reservation[] = [];
  const lost: Reservation[] = [];
  for (const reservation of state.live().sort((a, b) => a.hardExpires - b.hardExpires || byTurn(a, b))) {
    if (reservation.hardExpires > now) continue;
    if (state.isLost(reservation)) lost.push(reservation);
    endReservation(state, reservation, 'freed', 'hard_expiry', now);
    freed.push(reservation);
  }
  for (const reservation of state.live().sort((a, b) => a.leaseExpires - b.leaseExpires || byTurn(a, b))) {
    if (reservation.state === 'quarantined' || reservation.leaseExpires > now) continue;
    if (reservation.state === 'granted') freed.push(reservation);
    else if (state.isLost(reservation)) lost.push(reservation);
    endLease(state, reservation, 'lease_expired', now);
  }
  return { freed, lost };
}

/** A quarter of a lease late, so that a workflow that is alive withdraws first. */
function sweepRequests(state: ModelState, now: number): Sweep['expiredRequests'] {
  const grace = Math.floor(state.leases.leaseMs / 4);
  const expired = state
    .waiting()
    .flatMap((request) => (request.deadline === null ? [] : [{ request, deadline: request.deadline }]))
    .filter(({ deadline }) => deadline + grace <= now)
    .sort((a, b) => a.deadline - b.deadline || compareAge(a.request, b.request))
    .map(({ request }) => request);
  for (const request of expired) {
    closeRequest(state, request);
    state.record('expired', request, 'queue_timeout', now);
  }
  return expired.sort((a, b) => a.job.seq - b.job.seq).map((request) => request.ticket);
}

function forgetWorkers(state: ModelState, now: number): void {
  const used = new Set(state.live().map((reservation) => reservation.worker));
  for (const [name, worker] of state.workers) {
    const silent = now - worker.heartbeatAt > 10 * state.leases.leaseMs;
    if (!used.has(name) && (worker.removed || silent)) state.workers.delete(name);
  }
}

function quarantinedView(reservation: Reservation, now: number): QuarantinedReservation {
  if (reservation.reason === null) throw new Error('a quarantine has a reason');
  return {
    ...refOf(reservation),
    job: reservation.job.job,
    node: reservation.node,
    worker: reservation.worker,
    reason: reservation.reason,
    ageMs: now - reservation.quarantinedAt,
    hardExpiryInMs: reservation.hardExpires - now,
  };
}

function byTurn(a: Reservation, b: Reservation): number {
  return a.turn - b.turn;
}
