import type {
  ArtifactRef,
  CapacityRequest,
  Grant,
  JobClass,
  Leases,
  LedgerEntry,
  Limits,
  NodeEntry,
  NodeHealth,
  QuarantineReason,
  RequestAnswer,
  ReservationRef,
  Retention,
  StoredResult,
  Ticket,
  WorkerRegistration,
} from '../../../scheduler/index.js';
import { defaultLeases, defaultRetention, normalLimits } from '../../../scheduler/index.js';

export interface Job {
  readonly job: string;
  readonly kind: string;
  readonly class: JobClass;
  readonly workspace: string;
  readonly user: string;
  readonly inputDigest: string;
  readonly artifact: ArtifactRef | null;
  readonly submittedAt: number;
  readonly seq: number;
  /** The ticket that speaks for the job now. */
  runId: string;
  attempt: number;
  generation: number;
}

export interface Request {
  readonly job: Job;
  readonly ticket: Ticket;
  readonly contractVersion: number;
  readonly requestedAt: number;
  readonly queueMs: number;
  /** Null until the job's own quarantined reservation is free. */
  deadline: number | null;
  state: 'waiting' | 'held' | 'ended';
  notBefore: number;
  refusals: number;
  last: Reservation | null;
}

export interface Reservation extends ReservationRef {
  readonly job: Job;
  readonly ticket: Ticket;
  readonly node: string;
  readonly worker: string;
  readonly turn: number;
  readonly grantedAt: number;
  readonly waitedMs: number;
  readonly refusals: number;
  readonly sessionLimitMs: number;
  state: 'granted' | 'active' | 'quarantined' | 'ended';
  leaseExpires: number;
  hardExpires: number;
  delivered: boolean;
  nonce: string | null;
  activatedAt: number | null;
  quarantinedAt: number;
  reason: QuarantineReason | null;
}

export interface Node {
  entry: NodeEntry;
  health: NodeHealth;
  draining: boolean;
  coolingUntil: number;
  lastUsed: number;
}

export interface Worker {
  registration: WorkerRegistration;
  heartbeatAt: number;
  draining: boolean;
  removed: boolean;
  lastUsed: number;
}

/** One decision of the pass: who was eligible, and who was granted. What the properties of fairness are checked on. */
export interface Decision {
  readonly chosen: Request;
  readonly eligible: readonly Request[];
}

/** Everything the model knows. Nothing is counted or indexed: what follows from these lists is computed from them. */
export class ModelState {
  limits: Limits = normalLimits;
  leases: Leases = defaultLeases;
  retention: Retention = defaultRetention;
  paused = false;
  cycle = 0;
  turn = 0;
  readonly jobs = new Map<string, Job>();
  /** The current ticket of each job. */
  readonly requests = new Map<string, Request>();
  readonly reservations = new Map<string, Reservation>();
  readonly tombstones = new Set<string>();
  readonly nodes = new Map<string, Node>();
  readonly workers = new Map<string, Worker>();
  readonly results = new Map<string, StoredResult & ReservationRef & { readonly worker: string; expiresAt: number }>();
  /** Who consumed a job's result first. */
  readonly consumers = new Map<string, string>();
  /** Turn of the latest grant, by class and workspace, and by class, workspace and user. */
  readonly served = new Map<string, number>();
  readonly lines: LedgerEntry[] = [];
  readonly decisions: Decision[] = [];

  live(): Reservation[] {
    return [...this.reservations.values()].filter((reservation) => reservation.state !== 'ended');
  }

  waiting(): Request[] {
    return [...this.requests.values()].filter((request) => request.state === 'waiting');
  }

  requestOf(ticket: Ticket): Request | undefined {
    const request = this.requests.get(ticket.job);
    return request !== undefined && sameTicket(request.ticket, ticket) ? request : undefined;
  }

  reservationOf(ref: ReservationRef): Reservation | undefined {
    const reservation = this.reservations.get(ref.reservation);
    return reservation?.generation === ref.generation ? reservation : undefined;
  }

  bury(ticket: Ticket): void {
    this.tombstones.add(ticketKey(ticket));
  }

  isBuried(ticket: Ticket): boolean {
    return this.tombstones.has(ticketKey(ticket));
  }

  /** Whether any ticket of this run was withdrawn or superseded. */
  hasBuriedRun(ticket: Ticket): boolean {
    return [...this.tombstones].some((key) => key.startsWith(`${ticket.job} ${ticket.runId} `));
  }

  /** Whether its end takes something from its job: not where the job has its result by it. */
  isLost(reservation: Reservation): boolean {
    const committed = this.results.get(reservation.job.job)?.reservation === reservation.reservation;
    return reservation.state === 'active' && !committed;
  }

  storedResult(job: string): StoredResult | null {
    const row = this.results.get(job);
    if (row === undefined) return null;
    return { job, attempt: row.attempt, kind: row.kind, reservation: row.reservation, result: row.result };
  }

  /** What a job that has its result is answered, whoever asks. */
  doneAnswer(job: string, now: number): RequestAnswer | null {
    const result = this.storedResult(job);
    if (result === null) return null;
    return this.isExpired(job, now) ? { state: 'refused', code: 'result_expired' } : { state: 'done', result };
  }

  isExpired(job: string, now: number): boolean {
    return (this.results.get(job)?.expiresAt ?? Infinity) <= now;
  }

  record(
    event: LedgerEntry['event'],
    of: Pick<Request, 'job' | 'ticket'> | Reservation,
    reason: string | null,
    now: number,
  ): void {
    const reservation = 'reservation' in of ? of : null;
    this.lines.push({
      seq: this.lines.length + 1,
      atMs: now,
      event,
      job: of.job.job,
      attempt: of.ticket.attempt,
      reservation: reservation?.reservation ?? null,
      class: of.job.class,
      workspace: of.job.workspace,
      user: of.job.user,
      node: reservation?.node ?? null,
      worker: reservation?.worker ?? null,
      reason,
    });
  }
}

export function sameTicket(a: Ticket, b: Ticket): boolean {
  return a.job === b.job && a.runId === b.runId && a.attempt === b.attempt;
}

export function ticketKey(ticket: Ticket): string {
  return `${ticket.job} ${ticket.runId} ${ticket.attempt}`;
}

export function grantOf(reservation: Reservation): Grant {
  const { generation, ticket, node, worker, waitedMs, refusals } = reservation;
  return { reservation: reservation.reservation, generation, ticket, node, worker, waitedMs, refusals };
}

export function refOf(reservation: ReservationRef): ReservationRef {
  return { reservation: reservation.reservation, generation: reservation.generation };
}

export function newJob(request: CapacityRequest, seq: number, now: number): Job {
  const { kind, workspace, user, inputDigest, artifact, ticket } = request;
  return {
    job: ticket.job,
    kind,
    class: request.class,
    workspace,
    user,
    inputDigest,
    artifact,
    submittedAt: now,
    seq,
    runId: ticket.runId,
    attempt: ticket.attempt,
    generation: 0,
  };
}
