import type { Evidence, JobState, Phase, StepTime, Timeline, TimelineSpan, Timings } from './contract/index.js';

/** Where a waiting job stands; see `Timeline`. */
export type Place = Pick<Timeline, 'position' | 'nextAttemptAt' | 'queueDeadlineAt'>;

/** Why a job ended without a result. */
export interface JobEnd {
  readonly code: string;
  readonly message: string;
  readonly evidence?: Evidence | undefined;
}

/** Records where a job's time goes. Plain state: the workflow tells it what happens and when. */
export class TimelineLog {
  readonly #startedAt: number;
  readonly #spans: TimelineSpan[] = [];
  #state: JobState = 'pending';
  #attempt = 1;
  #endedAt: number | undefined;
  #place: Place | undefined;
  #error: JobEnd | undefined;

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  /** Starts a phase, ending the one before it. */
  begin(phase: Phase, at: number, where: { attempt: number; node?: string; worker?: string }): void {
    this.end(at);
    this.#attempt = where.attempt;
    this.#state = phase === 'queued' ? 'pending' : 'running';
    this.#place = undefined;
    this.#spans.push({ phase, startedAt: at, ...where });
  }

  /** Ends the open phase, if there is one. `outcome` says how, when it did not end well. */
  end(at: number, outcome?: string, steps?: readonly StepTime[]): void {
    const open = this.#spans.at(-1);
    if (open === undefined || open.endedAt !== undefined) return;
    this.#spans[this.#spans.length - 1] = { ...open, endedAt: at, ...defined({ outcome, steps }) };
  }

  queued(place: Place): void {
    this.#place = place;
  }

  finish(state: Extract<JobState, 'succeeded' | 'failed' | 'cancelled'>, at: number, error?: JobEnd): void {
    this.end(at);
    this.#state = state;
    this.#endedAt = at;
    this.#place = undefined;
    this.#error = error;
  }

  snapshot(): Timeline {
    return {
      state: this.#state,
      attempt: this.#attempt,
      startedAt: this.#startedAt,
      ...defined({
        endedAt: this.#endedAt,
        ...this.#place,
        errorCode: this.#error?.code,
        errorMessage: this.#error?.message,
        evidence: this.#error?.evidence,
      }),
      spans: [...this.#spans],
    };
  }

  /** Queued and total time are of the whole job, the others of the last attempt that reached them. */
  timings(now: number): Timings {
    return {
      queuedMs: sum(this.#spans.filter((span) => span.phase === 'queued').map((span) => length(span, now))),
      connectedMs: this.#last('connecting', now),
      capturedMs: this.#last('capturing', now),
      totalMs: now - this.#startedAt,
    };
  }

  #last(phase: Phase, now: number): number {
    const span = this.#spans.findLast((candidate) => candidate.phase === phase);
    return span === undefined ? 0 : length(span, now);
  }
}

function length(span: TimelineSpan, now: number): number {
  return (span.endedAt ?? now) - span.startedAt;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
