import {
  allHandlersFinished,
  CancellationScope,
  condition,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  CONTRACT_VERSION,
  DEFAULT_BOUNDS,
  initialSearchAttributes,
  storedObjects,
  SEARCH_ATTRIBUTES as ATTRIBUTES,
  type Bounds,
  type CommittedResult,
  type Grant,
  type Job,
  type JobResult,
  type JobState,
  type Phase,
  type StepTime,
  type Ticket,
  type Timings,
} from './contract/index.js';
import { describeRun } from './details.js';
import { AttemptEnd } from './ending.js';
import { Inbox } from './inbox.js';
import { capacityGranted, resultUpdate, sessionLost, timelineQuery } from './messages.js';
import { setSearchAttributes } from './search-attributes.js';
import { TimelineLog, type JobEnd, type Place } from './timeline-log.js';

/** One run of a job: what it was asked, how far it is, and how others see it. It wires messages to plain state. */
export class Run {
  readonly job: Job;
  readonly inbox: Inbox;
  readonly log: TimelineLog;
  bounds: Bounds = DEFAULT_BOUNDS;
  readonly #startedAt = Date.now();
  #state: JobState = 'pending';
  #result: JobResult | undefined;

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
    setHandler(resultUpdate, () => this.#answer());
    setSearchAttributes(initialSearchAttributes(job));
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
      setSearchAttributes({ [ATTRIBUTES.state]: state, ...(grant && { [ATTRIBUTES.node]: grant.node }) });
    }
    this.show();
  }

  queued(place: Place): void {
    this.log.queued(place);
    this.show();
  }

  leave(outcome?: string, steps?: readonly StepTime[]): void {
    this.log.end(Date.now(), outcome, steps);
    this.show();
  }

  /** The job has its result: from here on it succeeds, and who waits for it is answered while the session closes. */
  committed({ attempt, result }: CommittedResult): JobResult {
    this.#result ??= { v: CONTRACT_VERSION, kind: this.job.kind, attempts: attempt, timings: this.timings(), result };
    return this.#result;
  }

  async finish(state: 'succeeded' | 'failed' | 'cancelled', error?: JobEnd): Promise<void> {
    this.#state = state;
    this.log.finish(state, Date.now(), error);
    setSearchAttributes({
      [ATTRIBUTES.state]: state,
      ...(error !== undefined && { [ATTRIBUTES.errorCode]: error.code }),
    });
    this.show();
    // Who waits is answered before the run closes; the answer comes, since the job's end has just been set.
    await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
  }

  timings(): Timings {
    return this.log.timings(Date.now());
  }

  async #answer(): Promise<JobResult | null> {
    const isOver = (): boolean =>
      this.#result !== undefined || (this.#state !== 'pending' && this.#state !== 'running');
    await CancellationScope.nonCancellable(() => condition(isOver));
    return this.#result ?? null;
  }

  private show(): void {
    const objects = this.#result === undefined ? {} : storedObjects(this.#result.result);
    setCurrentDetails(describeRun(this.job, this.log.snapshot(), { attempts: this.bounds.attempts, objects }));
  }
}
