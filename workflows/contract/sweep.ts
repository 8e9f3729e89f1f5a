/** What the schedule does every minute beside the scheduler's own tick: whatever needs the bucket or Temporal. */

/** Workflow type, one run a minute, started by the schedule of this id. */
export const SWEEP_WORKFLOW = 'sweep';
export const SWEEP_SCHEDULE = 'darkroom-sweep';

export interface SweptObjects {
  /** Objects that were looked at in this run. */
  readonly looked: number;
  /** Of lost attempts, or of nobody: deleted. */
  readonly orphans: number;
  /** Results that named objects which are not there: only their summary is left. */
  readonly missing: number;
  /** Where the next run goes on in the bucket; empty: at its beginning. */
  readonly next: string;
}

/** Workflows of tickets that had waited or held capacity for long. */
export interface SweptWorkflows {
  readonly asked: number;
  /** Those that were closed: their requests are withdrawn, their capacity is given back or in quarantine. */
  readonly closed: number;
}

/** Rows that were removed for good. */
export interface ForgottenRows {
  readonly jobs: number;
  readonly reservations: number;
  readonly tombstones: number;
  readonly ledger: number;
}

/** Result of one run. */
export interface SweepReport {
  /** Results whose objects were deleted since their time was over. */
  readonly cleared: number;
  readonly objects: SweptObjects;
  readonly workflows: SweptWorkflows;
  readonly forgotten: ForgottenRows;
}

/** On the task queue `darkroom-capacity`. Bounded a call, and idempotent: what is left over is the next run's. */
export interface SweepActivities {
  clearExpired(): Promise<number>;
  /** `after`: where the run before stopped. */
  sweepObjects(input: { readonly after: string }): Promise<SweptObjects>;
  endClosed(): Promise<SweptWorkflows>;
  forgetOld(): Promise<ForgottenRows>;
}
