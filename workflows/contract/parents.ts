import type { ConsumeInput, Consumption } from './consumption.js';
import type { Kind } from './names.js';
import type { Outcome } from './outcome.js';
import type { PreparedJob, Submission } from './submission.js';

export interface PrepareJobInput {
  readonly kind: Kind;
  readonly submission: Submission<unknown>;
}

export type PrepareJobAnswer = PreparedJob & {
  /** A job of this key exists, running or finished. */
  readonly exists: boolean;
};

export interface AttachJobInput {
  readonly id: string;
  readonly inputDigest: string;
}

/** What parents call, on the task queue `darkroom-capacity`. All are idempotent. */
export interface ParentActivities {
  /** Fails with `invalid_input`, `unsupported_option`, or `idempotency_conflict` when the key was used with another input. */
  prepareJob(input: PrepareJobInput): Promise<PrepareJobAnswer>;
  /**
   * Waits until a job that exists has ended, over resets of its workflow. Cancelling it only ends the waiting. Fails with
   * `idempotency_conflict`, or `result_expired` when Temporal no longer has the job.
   */
  attachJob(input: AttachJobInput): Promise<Outcome>;
  consumeResult(input: ConsumeInput): Promise<Consumption>;
}
