/**
 * The capacity core's operations, as every caller sees them. Postgres (`postgres.ts`) and the in-memory model under
 * `test/scheduler` implement this one interface, and one conformance suite runs against both.
 *
 * Each operation is one call and one short transaction. It may be repeated: a ticket, or a reservation with its
 * generation, identifies it, and a repetition or an old generation changes nothing.
 *
 * Every operation takes its time from the database clock, read after the lock is held. `at` replaces that clock, so
 * that a test can state a rule about time without waiting for it.
 */

export type JobClass = 'interactive' | 'background';

/** Who asks: one attempt of one run of a job. A reset or restarted run has another run id, hence another ticket. */
export interface Ticket {
  readonly job: string;
  readonly runId: string;
  /** Numbered from 1. */
  readonly attempt: number;
}

/** A fenced handle on granted capacity: `generation` grows with every grant of the job, and old ones change nothing. */
export interface ReservationRef {
  /** 26 characters `[a-z0-9]`; also the tracking id of the session at the node. */
  readonly reservation: string;
  readonly generation: number;
}

/** Capacity granted to a ticket: one slot of a node and one slot of a worker, under a lease. */
export interface Grant extends ReservationRef {
  readonly ticket: Ticket;
  readonly node: string;
  readonly worker: string;
  /** From the attempt's first request to this grant. */
  readonly waitedMs: number;
  /** How often nodes refused this attempt so far; what a back-off is computed from. */
  readonly refusals: number;
}

/** The immutable, versioned thing behind a job's target. */
export interface ArtifactRef {
  readonly id: string;
  readonly version: string;
}

export interface CapacityRequest {
  readonly ticket: Ticket;
  readonly kind: string;
  readonly class: JobClass;
  readonly workspace: string;
  readonly user: string;
  /** Only a worker that runs this contract version is granted to the job. */
  readonly contractVersion: number;
  /** SHA-256 of the canonical input: the same job with another digest is refused. */
  readonly inputDigest: string;
  /** What the target is, null when it is no artifact. Kept from the job's first request: the digest covers it. */
  readonly artifact: ArtifactRef | null;
  /** How long the attempt may wait, from its first request. */
  readonly queueMs: number;
}

export type RefusalCode =
  | 'queue_full'
  | 'workspace_queue_full'
  | 'user_queue_full'
  | 'idempotency_conflict'
  /** The job had a result, whose retention is over. */
  | 'result_expired';

export type RequestAnswer =
  | { readonly state: 'granted'; readonly grant: Grant }
  /**
   * `position` counts from 1 in the order of grants known now, an estimate. `remainingMs` is left of the queue deadline;
   * null: it has not begun, because the job's own reservation is still quarantined.
   */
  | { readonly state: 'queued'; readonly position: number; readonly remainingMs: number | null }
  | { readonly state: 'withdrawn' }
  /** The ticket was granted, and that reservation has ended (released, freed or quarantined). `requeue` brings it back. */
  | { readonly state: 'ended'; readonly last: ReservationRef }
  | { readonly state: 'done'; readonly result: StoredResult }
  | { readonly state: 'refused'; readonly code: RefusalCode };

export type WithdrawAnswer =
  | { readonly state: 'withdrawn' }
  | { readonly state: 'granted'; readonly grant: Grant }
  /** Its reservation is active: the session must be closed instead. */
  | { readonly state: 'active'; readonly grant: Grant }
  | { readonly state: 'ended' };

/** What an operation granted to others on its way; whoever called it delivers these, then calls `delivered`. */
export interface Granted {
  readonly grants: readonly Grant[];
}

export type Activation =
  /**
   * `sessionMs`: to be asked of the node as the session's limit, counted from the attach. What is left until the hard
   * expiry without the connect time, so that a session attached within it ends before the hard expiry.
   */
  { readonly state: 'active'; readonly sessionMs: number } | { readonly state: 'stale' };

/**
 * Why a reservation is given back. `refused` also lets the node cool down, and says that there is no session. After
 * `worker_missing` and `stale` an active reservation may have one.
 */
export type RequeueReason = 'refused' | 'worker_missing' | 'stale';

export type QuarantineReason =
  | 'worker_lost'
  | 'close_unconfirmed'
  | 'connection_lost'
  | 'lease_expired'
  | 'superseded'
  | 'shutdown'
  /** Its workflow has ended, and nobody closed the session. */
  | 'workflow_closed';

export interface ResultToCommit extends ReservationRef {
  readonly job: string;
  readonly attempt: number;
  readonly worker: string;
  /** The result as the caller will get it, at most 16 KiB of JSON; objects are referenced by key. */
  readonly result: Readonly<Record<string, unknown>>;
}

export interface StoredResult {
  readonly job: string;
  readonly attempt: number;
  readonly kind: string;
  readonly reservation: string;
  readonly result: Readonly<Record<string, unknown>>;
}

export type Commit =
  | { readonly state: 'committed'; readonly result: StoredResult }
  /** This reservation had committed before (a repeated call): the first answer stands. */
  | { readonly state: 'already'; readonly result: StoredResult }
  | { readonly state: 'stale' };

/** What whoever takes a result over expects it to be of. */
export interface Consumption {
  readonly job: string;
  /** The consumer's own key, told to all who consume later. */
  readonly by: string;
  readonly artifact: ArtifactRef | null;
  readonly inputDigest: string;
}

export type Consumed =
  /** `already`: it was consumed before, by `by`; its own key there means that an earlier answer was lost. */
  | { readonly state: 'consumed' | 'already'; readonly by: string; readonly result: StoredResult }
  /** The job has no result, or none yet. */
  | { readonly state: 'none' }
  /** `result_expired`: it had one, whose retention is over. */
  | { readonly state: 'refused'; readonly code: 'result_mismatch' | 'result_expired' };

export interface WorkerRegistration {
  /** Ends in a boot id: a restarted worker is another worker. */
  readonly worker: string;
  readonly slots: number;
  readonly build: string;
  readonly contractVersions: readonly number[];
  readonly zone: string | null;
  /** The config hash of each node entry the worker holds; it is granted only nodes whose hash matches. */
  readonly nodeHashes: Readonly<Record<string, string>>;
}

export interface NodeEntry {
  readonly node: string;
  readonly maxSessions: number;
  readonly enabled: boolean;
  readonly zone: string | null;
  readonly sessionLimitMs: number;
  /** Hash of the whole entry, secrets by reference only: the config version. */
  readonly hash: string;
}

export type NodeHealth = 'healthy' | 'suspect' | 'down';

export interface NodeReport {
  readonly node: string;
  readonly health: NodeHealth;
}

/** Smallest limit that applies wins; `running` counts granted, active and quarantined reservations. */
export interface Limits {
  readonly running: number;
  readonly runningPerWorker: number;
  readonly runningPerUser: number;
  readonly runningPerWorkspace: number;
  readonly runningAgents: number;
  readonly waiting: number;
  readonly waitingPerWorkspace: number;
  readonly waitingPerUser: number;
}

/** Durations the core itself applies; an operator sets them once for a deployment. */
export interface Leases {
  readonly leaseMs: number;
  readonly connectMs: number;
  /** A worker whose heartbeat is older gets nothing new. */
  readonly workerSuspectMs: number;
}

export interface QuarantinedReservation extends ReservationRef {
  readonly job: string;
  readonly node: string;
  readonly worker: string;
  readonly reason: QuarantineReason;
  readonly ageMs: number;
  readonly hardExpiryInMs: number;
}

export interface Sweep extends Granted {
  /** Grants whose delivery nobody confirmed: to be signalled again. */
  readonly undelivered: readonly Grant[];
  readonly freed: readonly ReservationRef[];
  /** Active reservations whose lease ran out in this sweep: their workflows are told `sessionLost`. */
  readonly lost: readonly Grant[];
  readonly expiredRequests: readonly Ticket[];
  readonly quarantined: readonly QuarantinedReservation[];
}

export interface CapacitySnapshot {
  readonly limits: Limits;
  readonly running: number;
  readonly waiting: { readonly interactive: number; readonly background: number };
  readonly oldestWaitMs: number | null;
  readonly paused: boolean;
  readonly nodes: readonly (NodeEntry & {
    readonly health: NodeHealth;
    readonly used: number;
    readonly quarantined: number;
    readonly draining: boolean;
  })[];
  readonly workers: readonly {
    readonly worker: string;
    readonly slots: number;
    readonly used: number;
    readonly state: 'live' | 'suspect' | 'draining' | 'dead';
    readonly heartbeatAgeMs: number;
  }[];
  readonly reservations: readonly {
    readonly reservation: string;
    readonly generation: number;
    readonly job: string;
    readonly state: 'granted' | 'active' | 'quarantined';
    readonly node: string;
    readonly worker: string;
    readonly ageMs: number;
    readonly reason: QuarantineReason | null;
  }[];
}

/** A line of the append-only ledger: any past moment's use of every limit can be computed from it. */
export interface LedgerEntry {
  readonly seq: number;
  readonly atMs: number;
  readonly event:
    | 'requested'
    | 'granted'
    | 'activated'
    | 'requeued'
    | 'quarantined'
    | 'released'
    | 'freed'
    | 'withdrawn'
    | 'expired'
    | 'committed'
    | 'consumed'
    | 'cleared';
  readonly job: string;
  readonly attempt: number;
  readonly reservation: string | null;
  readonly class: JobClass;
  readonly workspace: string;
  readonly user: string;
  readonly node: string | null;
  readonly worker: string | null;
  readonly reason: string | null;
}

export interface Capacity {
  /**
   * Claims the job's key, inserts the request and runs a pass. Asked again it tells the ticket's present state. A ticket
   * of another run of the same job supersedes the older run: its waiting request is withdrawn, its grant freed, its
   * active session quarantined (`superseded`). Only a job's first request can be refused for a full queue.
   */
  request(request: CapacityRequest, at?: Date): Promise<RequestAnswer & Granted>;
  /**
   * Takes a waiting request out and leaves a tombstone, so that a request that arrives later answers `withdrawn`. A
   * grant that is not yet active is freed, or answered as `granted` when `keepGrant` is set.
   */
  withdraw(ticket: Ticket, options?: { readonly keepGrant?: boolean }, at?: Date): Promise<WithdrawAnswer & Granted>;
  /** granted → active, before the node is dialled. The same nonce again is the same answer; another nonce is stale. */
  activate(ref: ReservationRef, nonce: string, at?: Date): Promise<Activation>;
  /** Writes the job's one result, if reservation, generation and worker still hold the job. */
  commit(commit: ResultToCommit, at?: Date): Promise<Commit>;
  /**
   * Hands the result over and marks it consumed, if artifact, version and input digest are those that the job was asked
   * for; a difference consumes nothing. A repeat hands over the same and tells who was first, as long as it is kept.
   */
  consume(consumption: Consumption, at?: Date): Promise<Consumed>;
  /**
   * Extends the leases of these reservations of the worker in one statement; tells which are lost. Also its heartbeat: a
   * worker that had been silent may be granted to again, so a pass is run. `registered` is false for a worker that is
   * unknown or was removed: it must register again before it is granted anything.
   */
  renew(
    worker: string,
    refs: readonly ReservationRef[],
    at?: Date,
  ): Promise<{ readonly lost: readonly ReservationRef[]; readonly registered: boolean } & Granted>;
  /** Frees a granted, active or quarantined reservation and runs a pass. */
  release(ref: ReservationRef, at?: Date): Promise<{ readonly released: boolean } & Granted>;
  /**
   * Puts the request back at its original submit time, not eligible before `delayMs` have passed, and answers the
   * ticket's present state. The reservation is freed if it was not activated or was `refused`; an active one is
   * quarantined otherwise (`worker_lost` after `worker_missing`, `superseded` after `stale`), and a quarantined one stays
   * so. The queue deadline does not move, unless the job has a quarantined reservation: then it begins anew once that is
   * freed.
   */
  requeue(
    ref: ReservationRef,
    reason: RequeueReason,
    delayMs: number,
    at?: Date,
  ): Promise<{ readonly requeued: boolean; readonly answer: RequestAnswer } & Granted>;
  /**
   * Ends the lease and keeps the capacity counted until the node is known to have closed the session. What was never
   * activated has no session: it is freed instead, and a pass is run.
   */
  quarantine(
    ref: ReservationRef,
    reason: QuarantineReason,
    at?: Date,
  ): Promise<{ readonly quarantined: boolean } & Granted>;
  /**
   * The node no longer has the session. A quarantined reservation is freed. An active one is freed too once activation
   * plus connect time have passed (or at once after a kill that bars the id: `barred`), and its workflow is to be told
   * `sessionLost`: it is returned in `lost`.
   */
  confirmGone(
    reservation: string,
    options?: { readonly barred?: boolean },
    at?: Date,
  ): Promise<{ readonly freed: boolean; readonly lost: readonly Grant[] } & Granted>;
  /** Frees a quarantined reservation, and no other, by an operator's hand: its session is known to be gone. */
  free(reservation: string, at?: Date): Promise<{ readonly freed: boolean } & Granted>;
  /** Lease, hard expiry, queue deadline, undelivered grants, suspect workers. Bounded; run every second by one caller. */
  sweep(at?: Date): Promise<Sweep>;
  /** The workflows of these grants have been told. */
  delivered(refs: readonly ReservationRef[]): Promise<void>;
  pause(paused: boolean, at?: Date): Promise<Granted>;
  registerWorker(registration: WorkerRegistration, at?: Date): Promise<Granted>;
  /** No new grants; running jobs go on. */
  drainWorker(worker: string, at?: Date): Promise<{ readonly used: number }>;
  /** The process is known dead or has ended: its quarantined reservations no longer count against it. */
  removeWorker(worker: string, at?: Date): Promise<void>;
  applyNodes(nodes: readonly NodeEntry[], at?: Date): Promise<Granted>;
  reportNodes(reports: readonly NodeReport[], at?: Date): Promise<Granted>;
  applyLimits(limits: Limits, leases: Leases, at?: Date): Promise<Granted>;
  result(job: string): Promise<StoredResult | null>;
  snapshot(at?: Date): Promise<CapacitySnapshot>;
  ledger(afterSeq?: number): Promise<readonly LedgerEntry[]>;
}
