import type { CapacityState, CommittedResult, Grant, ReservationRef } from './capacity.js';
import type { Job } from './job.js';

export interface OpenSessionInput {
  readonly job: Job;
  readonly grant: Grant;
  readonly connectMs: number;
}

export type OpenSessionAnswer =
  | { readonly state: 'open'; readonly browser: string }
  /** The node had no slot after all: the reservation is given back, and this is the job's place in the queue. */
  | { readonly state: 'refused'; readonly next: CapacityState; readonly retryInMs: number };

export interface CaptureInput {
  readonly job: Job;
  readonly grant: Grant;
  /** Milliseconds left of the attempt. */
  readonly attemptMs: number;
}

export interface CloseSessionInput {
  readonly grant: Grant;
}

export type CloseSessionAnswer = {
  /** `quarantined`: the node did not confirm that the session is gone. */
  readonly state: 'released' | 'quarantined' | 'already';
};

/** On the task queue of the granted worker. `openSession` and `capture` have one Temporal attempt: the workflow decides about another. */
export interface SessionActivities {
  openSession(input: OpenSessionInput): Promise<OpenSessionAnswer>;
  capture(input: CaptureInput): Promise<CommittedResult>;
  /** Closes page, context and browser, confirms it at the node, and releases; also while an open or a capture still hangs. */
  closeSession(input: CloseSessionInput): Promise<CloseSessionAnswer>;
}

/** Payload of the signal `capacityGranted`; a handler ignores any ticket that is not its own. */
export interface CapacityGranted {
  readonly grant: Grant;
}

/** Payload of the signal `sessionLost`: the reservation is gone, whatever its activity says. */
export interface SessionLost extends ReservationRef {
  readonly reason: 'lease_expired' | 'session_gone';
}
