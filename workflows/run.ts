import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { setCurrentDetails, setHandler, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import {
  DEFAULT_BOUNDS,
  SEARCH_ATTRIBUTES,
  type Bounds,
  type Grant,
  type Job,
  type JobState,
  type Phase,
  type Ticket,
  type Timings,
} from './contract/index.js';
import { describeTimeline } from './details.js';
import { AttemptEnd } from './ending.js';
import { Inbox } from './inbox.js';
import { capacityGranted, sessionLost, timelineQuery } from './messages.js';
import { TimelineLog } from './timeline-log.js';

const keyword = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);
const STATE = keyword(SEARCH_ATTRIBUTES.state);
const NODE = keyword(SEARCH_ATTRIBUTES.node);
const ERROR_CODE = keyword(SEARCH_ATTRIBUTES.errorCode);

/** One run of a job: what it was asked, how far it is, and how others see it. It wires messages to plain state. */
export class Run {
  readonly job: Job;
  readonly inbox: Inbox;
  readonly log: TimelineLog;
  bounds: Bounds = DEFAULT_BOUNDS;
  readonly #startedAt = Date.now();
  #state: JobState = 'pending';

  constructor(job: Job) {
    this.job = job;
    this.inbox = new Inbox();
    this.log = new TimelineLog(this.#startedAt);
    setHandler(capacityGranted, ({ grant }) => {
      this.inbox.granted(grant);
    });
    setHandler(sessionLost, (message) => {
      this.inbox.lost(message);
    });
    setHandler(timelineQuery, () => this.log.snapshot());
    upsertSearchAttributes([
      { key: keyword(SEARCH_ATTRIBUTES.kind), value: job.kind },
      { key: keyword(SEARCH_ATTRIBUTES.class), value: job.class },
      { key: keyword(SEARCH_ATTRIBUTES.workspace), value: job.workspace },
      { key: STATE, value: 'pending' },
    ]);
  }

  ticket(attempt: number): Ticket {
    const { workflowId, runId } = workflowInfo();
    return { job: workflowId, runId, attempt };
  }

  /** The smaller of the operator's bound and the job's own. */
  get queueMs(): number {
    return Math.min(this.bounds.queueMs, this.job.bounds?.queueMs ?? Infinity);
  }

  get attemptMs(): number {
    return Math.min(this.bounds.attemptMs, this.job.bounds?.attemptMs ?? Infinity);
  }

  get elapsedMs(): number {
    return Date.now() - this.#startedAt;
  }

  /** Of the total deadline. Fails with `deadline_exceeded` when nothing is left. */
  get remainingMs(): number {
    const totalMs = Math.min(this.bounds.totalMs, this.job.bounds?.totalMs ?? Infinity);
    const left = this.#startedAt + totalMs - Date.now();
    if (left <= 0) throw new AttemptEnd('deadline_exceeded', `Bound: ${String(totalMs)} ms.`);
    return left;
  }

  enter(phase: Phase, attempt: number, grant?: Grant): void {
    this.log.begin(phase, Date.now(), { attempt, ...(grant && { node: grant.node, worker: grant.worker }) });
    const state = phase === 'queued' ? 'pending' : 'running';
    if (state !== this.#state) {
      this.#state = state;
      upsertSearchAttributes([{ key: STATE, value: state }, ...(grant ? [{ key: NODE, value: grant.node }] : [])]);
    }
    this.show();
  }

  /** `notBefore`: after a refusal, not before this time (milliseconds since the epoch) the job is granted again. */
  queued(position: number, notBefore?: number): void {
    this.log.queued(position, notBefore);
    this.show();
  }

  leave(outcome?: string): void {
    this.log.end(Date.now(), outcome);
    this.show();
  }

  finish(state: 'succeeded' | 'failed' | 'cancelled', errorCode?: string): void {
    this.log.finish(state, Date.now(), errorCode);
    upsertSearchAttributes([
      { key: STATE, value: state },
      ...(errorCode === undefined ? [] : [{ key: ERROR_CODE, value: errorCode }]),
    ]);
    this.show();
  }

  timings(): Timings {
    return this.log.timings(Date.now());
  }

  private show(): void {
    setCurrentDetails(describeTimeline(this.job, this.log.snapshot()));
  }
}
