import type { ErrorCode } from './errors.js';
import type { Evidence } from './evidence.js';
import type { Inputs, Results } from './kinds.js';
import type { JobClass, Kind } from './names.js';

/** Bounds that a job may lower. All in milliseconds. */
export interface JobBounds {
  readonly queueMs?: number | undefined;
  readonly attemptMs?: number | undefined;
  readonly totalMs?: number | undefined;
}

/** The operator's bounds; they come with the first answer of the scheduler, so that they are fixed in the history. */
export interface Bounds {
  /** From an attempt's first request to its grant. */
  readonly queueMs: number;
  readonly connectMs: number;
  /** One attempt, connecting included, closing not. */
  readonly attemptMs: number;
  readonly totalMs: number;
  readonly attempts: number;
  /** A capture that does not heartbeat for this long is lost; also the lease of its reservation. */
  readonly leaseMs: number;
  /** How long `closeSession` may take before the reservation is quarantined. */
  readonly closeMs: number;
  /** How often a waiting job asks again, in case a signal was lost. */
  readonly recheckMs: number;
}

export const DEFAULT_BOUNDS: Bounds = {
  queueMs: 60_000,
  connectMs: 15_000,
  attemptMs: 900_000,
  totalMs: 2_100_000,
  attempts: 2,
  leaseMs: 60_000,
  closeMs: 30_000,
  recheckMs: 15_000,
};

/** The one argument of every job's workflow. */
export interface Job<K extends Kind = Kind> {
  readonly v: number;
  readonly kind: K;
  readonly class: JobClass;
  readonly workspace: string;
  readonly user: string;
  /** The caller's operation that this job serves; goes into logs and the memo. */
  readonly operation?: string | undefined;
  /** SHA-256, hex, of the canonical input (`canonicalInput`). */
  readonly inputDigest: string;
  readonly bounds?: JobBounds | undefined;
  readonly input: Inputs[K];
}

/**
 * Milliseconds that a job spent in each step of its last attempt; `queuedMs` and `totalMs` over the whole job, until it had
 * its result or failed. Closing the session comes after a result, so it stands in the timeline only.
 */
export interface Timings {
  readonly queuedMs: number;
  readonly connectedMs: number;
  readonly capturedMs: number;
  readonly totalMs: number;
}

export interface JobResult<K extends Kind = Kind> {
  readonly v: number;
  readonly kind: K;
  readonly attempts: number;
  readonly timings: Timings;
  readonly result: Results[K];
}

/** Details of the `ApplicationFailure` that ends a failed job; its type is the code. */
export interface JobFailureDetails {
  readonly code: ErrorCode;
  readonly attempts: number;
  readonly timings: Timings;
  /** Of the last attempt, where it failed on its page. */
  readonly evidence?: Evidence | undefined;
}
