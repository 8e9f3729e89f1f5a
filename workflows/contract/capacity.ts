import type { ErrorCode } from './errors.js';
import type { Bounds, Job, JobResult } from './job.js';
import type { StepTime } from './timeline.js';

/** Who asks for capacity: one attempt of one run of a job. */
export interface Ticket {
  readonly job: string;
  readonly runId: string;
  readonly attempt: number;
}

export interface ReservationRef {
  readonly reservation: string;
  readonly generation: number;
}

/** A slot of one node and a slot of one worker, under a lease. Its ticket says which run it was granted to. */
export interface Grant extends ReservationRef {
  readonly ticket: Ticket;
  readonly node: string;
  readonly worker: string;
  readonly waitedMs: number;
  readonly refusals: number;
}

export interface RequestCapacityInput {
  readonly job: Job;
  readonly attempt: number;
  /** Since the job's start, milliseconds: an artifact must outlive what is left of the total deadline. */
  readonly elapsedMs: number;
  /** A grant that could not be used: it is given back, and the job takes its old place in the queue. */
  readonly giveBack?: GiveBack | undefined;
}

/** The ticket is the one it was granted to: what an older run of the job was granted is not ours to give back. */
export interface GiveBack extends ReservationRef {
  readonly ticket: Ticket;
  readonly reason: 'worker_missing' | 'stale';
}

export type RequestCapacityAnswer = { readonly bounds: Bounds } & CapacityState;

/** `remainingMs` null: the queue deadline has not begun, since the job's own reservation is still in quarantine. */
export type CapacityState =
  | { readonly state: 'granted'; readonly grant: Grant }
  | { readonly state: 'queued'; readonly position: number; readonly remainingMs: number | null }
  | { readonly state: 'withdrawn' }
  | { readonly state: 'ended'; readonly last: ReservationRef }
  | { readonly state: 'done'; readonly result: CommittedResult }
  | { readonly state: 'refused'; readonly code: ErrorCode };

/** A result row, as the scheduler keeps it. */
export interface CommittedResult {
  readonly attempt: number;
  readonly result: JobResult['result'];
  /** Not where only the row is left. */
  readonly steps?: readonly StepTime[] | undefined;
}

/** `granted`: it was granted meanwhile and is still to be used. `active`: its session must be closed. */
export type WithdrawAnswer =
  { readonly state: 'withdrawn' | 'ended' } | { readonly state: 'granted' | 'active'; readonly grant: Grant };

export type QuarantineReason = 'worker_lost' | 'close_unconfirmed' | 'connection_lost';

/** On the task queue `darkroom-capacity`: short, idempotent, retried. */
export interface CapacityActivities {
  /** Validates the job, claims its key and asks for capacity. Fails with `invalid_input`, `unsupported_option`, `target_forbidden`, `target_expired`. */
  requestCapacity(input: RequestCapacityInput): Promise<RequestCapacityAnswer>;
  withdrawRequest(input: { readonly ticket: Ticket; readonly keepGrant: boolean }): Promise<WithdrawAnswer>;
  /** For grants that were never opened. */
  releaseCapacity(ref: ReservationRef): Promise<{ readonly released: boolean }>;
  /** `result`: the job's, where it was committed before whoever committed it could say so. */
  quarantineCapacity(
    input: ReservationRef & { readonly reason: QuarantineReason },
  ): Promise<{ readonly quarantined: boolean; readonly result?: CommittedResult | undefined }>;
}
