import type { Grant, Job, JobResult, ReservationRef, StepTime } from '../../workflows/contract/index.js';
import type { Deadline } from '../deadline.js';

/** `steps`: where the time went. */
export interface Captured {
  readonly result: JobResult['result'];
  readonly steps: readonly StepTime[];
}

/** Where sessions live: the render worker's slots, each a supervised process of its own. */
export interface SessionHost {
  /**
   * Dials the node from a free slot. `NodeRefusal`, `NeverOpened` and `stale_generation` say that the slot holds nothing;
   * after any other error a session may still come to be.
   */
  open(deadline: Deadline, grant: Grant, job: Job, sessionMs: number): Promise<{ readonly browser: string }>;
  /** Renders and uploads; commits nothing. Fails with `stale_generation` when it holds no such session. */
  capture(deadline: Deadline, grant: Grant, job: Job): Promise<Captured>;
  /**
   * Ends the session on this side, by force if it hangs. `orderly` closes context and browser, `drop` only the connection,
   * for a browser that is killed anyway. No effect when it holds none.
   */
  close(deadline: Deadline, ref: ReservationRef, how: 'orderly' | 'drop'): Promise<void>;
  /** Whether the slot that holds the session answered lately: only then an activity may heartbeat. */
  answers(ref: ReservationRef): boolean;
}
