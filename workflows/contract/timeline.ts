/** Where a job's time went. Times are milliseconds since the epoch, as the workflow's own clock gives them. */

import type { Evidence } from './evidence.js';

export type JobState = 'pending' | 'running' | 'succeeded' | 'failed' | 'cancelled';

export type Phase = 'queued' | 'connecting' | 'capturing' | 'closing';

/** What a capture does, in this order; a component's scenarios go through it one after another. */
export type CaptureStep = 'navigating' | 'settling' | 'capturing' | 'uploading';

export interface StepTime {
  readonly step: CaptureStep;
  readonly ms: number;
}

export interface TimelineSpan {
  readonly phase: Phase;
  readonly attempt: number;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly node?: string;
  readonly worker?: string;
  /** How the phase ended, when it did not end well: an error code, or why the job went back to the queue. */
  readonly outcome?: string;
  /** Of a capture that answered: where its time went, the step that it ended in last. */
  readonly steps?: readonly StepTime[];
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
  /** While it waits: when the queue deadline ends, as last told. Missing as long as it has not begun. */
  readonly queueDeadlineAt?: number;
  readonly errorCode?: string;
  /** What was kept of the page that the job failed on. */
  readonly evidence?: Evidence;
  /** Why it failed and what to do, of the attempt that ended the job. */
  readonly errorMessage?: string;
  readonly spans: readonly TimelineSpan[];
}

export const TIMELINE_COLUMNS = [
  'attempt',
  'step',
  'start (ms)',
  'took (ms)',
  'node',
  'worker',
  'how it ended',
] as const;

/** A cell for each column, one row a span and one a step of it, for whoever shows a timeline. Start counts from the job's start. */
export function timelineRows({ startedAt, spans }: Timeline): readonly (readonly string[])[] {
  return spans.flatMap((span) => [
    [
      String(span.attempt),
      span.phase,
      `+${String(span.startedAt - startedAt)}`,
      span.endedAt === undefined ? '…' : String(span.endedAt - span.startedAt),
      span.node ?? '',
      span.worker ?? '',
      span.outcome ?? '',
    ],
    ...(span.steps ?? []).map(({ step, ms }) => ['', `· ${step}`, '', String(ms), '', '', '']),
  ]);
}
