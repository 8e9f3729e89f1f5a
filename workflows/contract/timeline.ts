/** Where a job's time went. Times are milliseconds since the epoch, as the workflow's own clock gives them. */

import type { Evidence } from './evidence.js';

export type JobState = 'pending' | 'running' | 'succeeded' | 'failed' | 'cancelled';

export type Phase = 'queued' | 'connecting' | 'capturing' | 'closing';

export interface TimelineSpan {
  readonly phase: Phase;
  readonly attempt: number;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly node?: string;
  readonly worker?: string;
  /** How the phase ended, when it did not end well: an error code, or why the job went back to the queue. */
  readonly outcome?: string;
}

export interface Timeline {
  readonly state: JobState;
  readonly attempt: number;
  readonly startedAt: number;
  readonly endedAt?: number;
  /** Set between two attempts and after a refusal: not before this the job is granted again. */
  readonly nextAttemptAt?: number;
  /** Position in the queue when it was last told, from 1. */
  readonly position?: number;
  readonly errorCode?: string;
  /** What was kept of the page that the job failed on. */
  readonly evidence?: Evidence;
  readonly spans: readonly TimelineSpan[];
}
