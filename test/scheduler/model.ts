import type {
  Capacity,
  ArtifactRef,
  CapacityRequest,
  Commit,
  Consumption,
  Grant,
  QuarantineReason,
  RequestAnswer,
  ReservationRef,
  StoredResult,
  Ticket,
} from '../../scheduler/index.js';
import { closeRequest, endLease, endReservation, forgetEmptyNodes, giveUp, suspendDeadline } from './model/endings.js';
import { eligibleRequests, runPass } from './model/pass.js';
import { enter, grantsToOthers, presentAnswer, settledAnswer } from './model/requests.js';
import { modelSnapshot } from './model/snapshot.js';
import { grantOf, ModelState, refOf, type Request, type Reservation } from './model/state.js';
import { modelSweep } from './model/sweep.js';

/* eslint-disable @typescript-eslint/require-await -- an interface of promises, kept by a program that never waits */

/**
 * The capacity core as a plain in-memory program: the executable specification. Naive on purpose; where it and the SQL
 * differ, one of them is wrong, and this one is easier to read.
 */
export class ModelCapacity implements Capacity {
  readonly state = new ModelState();

  async request(request: CapacityRequest, at?: Date) {
    const now = time(at);
    const known = this.state.jobs.get(request.ticket.job);
    if (known !== undefined && known.inputDigest !== request.inputDigest) {
      return { state: 'refused', code: 'idempotency_conflict', grants: [] } as const;
    }
    const settled = settledAnswer(this.state, request.ticket, now);
    if (settled !== null) return { ...settled, grants: [] };
    const { refusal, granted } = enter(this.state, request, now);
    if (refusal !== null) return { state: 'refused', code: refusal, grants: granted.map(grantOf) } as const;
    const answer = presentAnswer(this.state, request.ticket, now);
    return { ...answer, grants: grantsToOthers(granted, answer) };
  }

  async withdraw(ticket: Ticket, options: { readonly keepGrant?: boolean } = {}, at?: Date) {
    const now = time(at);
    const request = this.state.requestOf(ticket);
    const held = request?.state === 'held' ? request.last : null;
    if (request === undefined || request.state === 'ended') {
      this.state.bury(ticket);
      return { state: request === undefined ? ('withdrawn' as const) : ('ended' as const), grants: [] };
    }
    if (held !== null && (held.state === 'active' || options.keepGrant === true)) {
      held.delivered = true;
      return { state: held.state === 'active' ? 'active' : 'granted', grant: grantOf(held), grants: [] } as const;
    }
    if (held !== null) endReservation(this.state, held, 'freed', 'withdrawn', now);
    closeRequest(this.state, request);
    this.state.record('withdrawn', request, null, now);
    return { state: 'withdrawn' as const, grants: this.pass(now) };
  }

  async activate(ref: ReservationRef, nonce: string, at?: Date) {
    const now = time(at);
    const reservation = this.state.reservationOf(ref);
    if (reservation?.state === 'granted') {
      reservation.state = 'active';
      reservation.nonce = nonce;
      reservation.activatedAt = now;
      reservation.leaseExpires = now + this.state.leases.leaseMs;
      reservation.hardExpires = now + this.state.leases.connectMs + reservation.sessionLimitMs;
      this.state.record('activated', reservation, null, now);
    } else if (reservation?.state !== 'active' || reservation.nonce !== nonce) {
      return { state: 'stale' as const };
    }
    return {
      state: 'active' as const,
      sessionMs: Math.max(0, reservation.hardExpires - now - this.state.leases.connectMs),
    };
  }

  async commit(commit: Parameters<Capacity['commit']>[0], at?: Date) {
    const { job, attempt, worker, result } = commit;
    const done = this.state.results.get(job);
    if (done !== undefined) {
      const same =
        done.reservation === commit.reservation && done.generation === commit.generation && done.worker === worker;
      return this.committed(same ? 'already' : 'stale', job);
    }
    const held = this.state.reservationOf(commit);
    const holds =
      held?.state === 'active' && held.job.job === job && held.ticket.attempt === attempt && held.worker === worker;
    if (!holds) return { state: 'stale' as const };
    const now = time(at);
    const expiresAt = now + this.state.retention.resultMs;
    this.state.results.set(job, { job, attempt, kind: held.job.kind, ...refOf(held), worker, result, expiresAt });
    this.state.record('committed', held, null, now);
    return this.committed('committed', job);
  }

  async consume({ job, by, artifact, inputDigest }: Consumption, at?: Date) {
    const now = time(at);
    const result = this.state.results.get(job);
    const asked = this.state.jobs.get(job);
    if (result === undefined || asked === undefined) return { state: 'none' as const };
    if (asked.inputDigest !== inputDigest || !sameArtifact(asked.artifact, artifact)) {
      return { state: 'refused', code: 'result_mismatch' } as const;
    }
    if (this.state.isExpired(job, now)) return { state: 'refused', code: 'result_expired' } as const;
    const first = this.state.consumers.get(job);
    const stored = this.stored(job);
    if (first !== undefined) return { state: 'already' as const, by: first, result: stored };
    this.state.consumers.set(job, by);
    result.expiresAt = Math.min(result.expiresAt, now + this.state.retention.consumedMs);
    const ticket = { job, runId: asked.runId, attempt: result.attempt };
    this.state.record('consumed', { job: asked, ticket }, by, now);
    return { state: 'consumed' as const, by, result: stored };
  }

  async renew(name: string, refs: readonly ReservationRef[], at?: Date) {
    const now = time(at);
    const worker = this.state.workers.get(name);
    const registered = worker?.removed === false;
    if (registered) worker.heartbeatAt = Math.max(worker.heartbeatAt, now);
    const lost = refs.filter((ref) => {
      const reservation = this.state.reservationOf(ref);
      const kept = reservation?.worker === name && (reservation.state === 'granted' || reservation.state === 'active');
      if (kept) reservation.leaseExpires = now + this.state.leases.leaseMs;
      return !kept;
    });
    return { lost: lost.map(refOf), registered, grants: this.pass(now) };
  }

  async release(ref: ReservationRef, at?: Date) {
    const now = time(at);
    const reservation = this.state.reservationOf(ref);
    if (reservation === undefined || reservation.state === 'ended') return { released: false, grants: [] };
    endReservation(this.state, reservation, 'released', null, now);
    return { released: true, grants: this.pass(now) };
  }

  async requeue(...[ref, reason, delayMs, at]: Parameters<Capacity['requeue']>) {
    const now = time(at);
    const reservation = this.state.reservationOf(ref);
    const request = reservation === undefined ? undefined : this.state.requests.get(reservation.job.job);
    const mayReturn =
      reservation !== undefined &&
      request?.last === reservation &&
      request.state !== 'waiting' &&
      !this.state.isBuried(request.ticket) &&
      !this.state.results.has(request.job.job);
    if (!mayReturn) return { requeued: false, answer: this.presentOf(reservation, now), grants: [] };
    giveUp(this.state, reservation, reason, now);
    if (reason === 'refused') {
      request.refusals += 1;
      const node = this.state.nodes.get(reservation.node);
      if (node !== undefined) node.coolingUntil = Math.max(node.coolingUntil, now + delayMs);
    }
    request.state = 'waiting';
    request.notBefore = now + delayMs;
    suspendDeadline(this.state, request);
    this.state.record('requeued', request, reason, now);
    const granted = runPass(this.state, now);
    const answer = presentAnswer(this.state, request.ticket, now);
    return { requeued: true, answer, grants: grantsToOthers(granted, answer) };
  }

  async quarantine(ref: ReservationRef, reason: QuarantineReason, at?: Date) {
    const reservation = this.state.reservationOf(ref);
    if (reservation === undefined || reservation.state === 'ended') return { quarantined: false, grants: [] };
    const hadSession = reservation.state !== 'granted';
    endLease(this.state, reservation, reason, time(at));
    return { quarantined: hadSession, grants: hadSession ? [] : this.pass(time(at)) };
  }

  async confirmGone(id: string, options: { readonly barred?: boolean } = {}, at?: Date) {
    const now = time(at);
    const held = this.state.reservations.get(id);
    const dialling =
      held !== undefined && held.activatedAt !== null && held.activatedAt + this.state.leases.connectMs > now;
    const believed = options.barred === true || !dialling;
    if ((held?.state !== 'active' && held?.state !== 'quarantined') || !believed) {
      return { freed: false, lost: [], grants: [] };
    }
    const lost = this.state.isLost(held) ? [grantOf(held)] : [];
    endReservation(this.state, held, 'freed', 'confirmed_gone', now);
    return { freed: true, lost, grants: this.pass(now) };
  }

  async free(id: string, at?: Date) {
    const now = time(at);
    const held = this.state.reservations.get(id);
    if (held?.state !== 'quarantined') return { freed: false, grants: [] };
    endReservation(this.state, held, 'freed', 'operator', now);
    return { freed: true, grants: this.pass(now) };
  }

  async sweep(at?: Date) {
    return modelSweep(this.state, time(at));
  }

  async delivered(refs: readonly ReservationRef[]) {
    for (const ref of refs) {
      const reservation = this.state.reservationOf(ref);
      if (reservation?.state === 'granted') reservation.delivered = true;
    }
  }

  async pause(paused: boolean, at?: Date) {
    this.state.paused = paused;
    return { grants: this.pass(time(at)) };
  }

  async registerWorker(registration: Parameters<Capacity['registerWorker']>[0], at?: Date) {
    const now = time(at);
    const before = this.state.workers.get(registration.worker);
    this.state.workers.set(registration.worker, {
      registration,
      heartbeatAt: now,
      draining: before !== undefined && before.draining && !before.removed,
      removed: false,
      lastUsed: before?.lastUsed ?? 0,
    });
    return { grants: this.pass(now) };
  }

  async drainWorker(name: string) {
    const worker = this.state.workers.get(name);
    if (worker === undefined) return { used: 0 };
    worker.draining = true;
    return { used: this.state.live().filter((reservation) => reservation.worker === name).length };
  }

  async removeWorker(name: string) {
    const worker = this.state.workers.get(name);
    if (worker !== undefined) worker.removed = true;
  }

  async applyNodes(entries: Parameters<Capacity['applyNodes']>[0], at?: Date) {
    const { nodes } = this.state;
    for (const entry of entries) {
      const before = nodes.get(entry.node) ?? { health: 'healthy' as const, coolingUntil: 0, lastUsed: 0 };
      nodes.set(entry.node, { ...before, entry, draining: false });
    }
    for (const node of nodes.values()) {
      if (entries.some((entry) => entry.node === node.entry.node)) continue;
      node.entry = { ...node.entry, enabled: false };
      node.draining = true;
    }
    forgetEmptyNodes(this.state);
    return { grants: this.pass(time(at)) };
  }

  async reportNodes(reports: Parameters<Capacity['reportNodes']>[0], at?: Date) {
    for (const report of reports) {
      const node = this.state.nodes.get(report.node);
      if (node !== undefined) node.health = report.health;
    }
    return { grants: this.pass(time(at)) };
  }

  async applyLimits(...[limits, leases, at]: Parameters<Capacity['applyLimits']>) {
    this.state.limits = limits;
    this.state.leases = leases;
    return { grants: this.pass(time(at)) };
  }

  async result(job: string) {
    return this.state.storedResult(job);
  }

  async snapshot(at?: Date) {
    return modelSnapshot(this.state, time(at));
  }

  async ledger(afterSeq = 0) {
    return this.state.lines.filter((line) => line.seq > afterSeq);
  }

  /** Not part of the interface: who could be granted at this moment. Empty after every operation that runs a pass. */
  eligible(at: Date): readonly Request[] {
    return eligibleRequests(this.state, at.getTime());
  }

  private pass(now: number): Grant[] {
    return runPass(this.state, now).map(grantOf);
  }

  private presentOf(reservation: Reservation | undefined, now: number): RequestAnswer {
    if (reservation === undefined) return { state: 'withdrawn' };
    return this.state.doneAnswer(reservation.job.job, now) ?? presentAnswer(this.state, reservation.ticket, now);
  }

  private stored(job: string): StoredResult {
    const result = this.state.storedResult(job);
    if (result === null) throw new Error(`${job} has a result`);
    return result;
  }

  private committed(state: Commit['state'], job: string): Commit {
    const result = this.state.storedResult(job);
    return state === 'stale' || result === null ? { state: 'stale' } : { state, result };
  }
}

function sameArtifact(a: ArtifactRef | null, b: ArtifactRef | null): boolean {
  return a?.id === b?.id && a?.version === b?.version;
}

function time(at: Date | undefined): number {
  return (at ?? new Date()).getTime();
}
