import {
  ApplicationFailure,
  CancelledFailure,
  TerminatedFailure,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/common';
import {
  ActivityFailure,
  CancellationScope,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  getExternalWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  startChild,
  TimeoutFailure,
  workflowInfo,
  type ChildWorkflowHandle,
  type Workflow,
} from '@temporalio/workflow';
import {
  describeError,
  failureOf,
  failureWith,
  isErrorCode,
  startOptions,
  successOf,
  workflowTypeOf,
  type Consumption,
  type Expectation,
  type Failure,
  type JobResult,
  type Kind,
  type Outcome,
  type PreparedJob,
  type PrepareJobAnswer,
  type RequestOf,
  type Submission,
} from '../contract/index.js';
import { attachActivities, consumeActivities, prepareActivities } from '../options.js';
import { Leash } from './leash.js';

export interface StartJobOptions {
  /** The job goes on when the parent's run closes. Without it, it is cancelled then: end what you start. */
  readonly outlivesParent?: boolean;
}

/** What a parent expects of a result; `by` defaults to its workflow id, the digest to the input that it asked for. */
export type ParentExpectation = Pick<Expectation, 'artifact'> & Partial<Expectation>;

/** A job that this parent started, or found under its key. */
export interface ParentJob<K extends Kind = Kind> {
  /** Also its workflow id. */
  readonly id: string;
  readonly inputDigest: string;
  /** False: the key had a job already, of an earlier run of this parent or of somebody else. */
  readonly started: boolean;
  /** How the job ended; its own failure is an outcome. Fails only as cancelled, when the parent is. */
  wait(): Promise<Outcome<K>>;
  /** Ends the job for all who share its key. No effect on one that has ended. */
  cancel(): Promise<void>;
  /**
   * From now on a cancel of the parent ends only its waiting. A job that was found is detached from the start; one that was
   * started is still cancelled when the parent's run closes, unless it was started to outlive it.
   */
  detach(): void;
  /** Takes the result over, if it is of what the parent expects. Recheck your own fence: consuming is no business write. */
  consume(expectation: ParentExpectation): Promise<Consumption<K>>;
}

/**
 * Starts a job as a child, or attaches to the one that has its key, running or finished: a parent that was reset, started
 * again or continued as new gets the job that it had. Fails with an `ApplicationFailure` of the type `invalid_input`,
 * `unsupported_option` or `idempotency_conflict`, or `queue_timeout` when Darkroom does not answer.
 */
export async function startJob<K extends Kind>(
  kind: K,
  submission: Submission<RequestOf<K>>,
  options: StartJobOptions = {},
): Promise<ParentJob<K>> {
  const leash = new Leash();
  const { exists, ...prepared } = await prepare(kind, submission);
  const child = exists ? undefined : await leash.run(() => start(prepared, options));
  if (child === undefined) leash.letGo();
  let outcome: Promise<Outcome<K>> | undefined;
  const { id, job } = prepared;
  return {
    id,
    inputDigest: job.inputDigest,
    started: child !== undefined,
    async wait() {
      outcome ??= child === undefined ? attach<K>(prepared) : leash.run(() => ended<K>(child, prepared));
      const end = await leash.wait(outcome);
      const isOurs = CancellationScope.current().consideredCancelled;
      if (end.status === 'cancelled' && isOurs) throw new CancelledFailure('The parent was cancelled.');
      return end;
    },
    cancel: () => cancelJob(id),
    detach: () => leash.letGo(),
    async consume({ artifact, by = workflowInfo().workflowId, inputDigest = job.inputDigest }) {
      const consumption: unknown = await consumeActivities.consumeResult({ job: id, artifact, inputDigest, by });
      return consumption as Consumption<K>;
    },
  };
}

/** As `startJob`, but a job that could not even be asked for is told like one that failed. */
export async function tryStartJob<K extends Kind>(
  kind: K,
  submission: Submission<RequestOf<K>>,
): Promise<ParentJob<K> | Failure> {
  try {
    return await startJob(kind, submission);
  } catch (error) {
    if (error instanceof ApplicationFailure && isErrorCode(error.type)) return failureOf(error);
    throw error;
  }
}

async function prepare(kind: Kind, submission: Submission<unknown>): Promise<PrepareJobAnswer> {
  try {
    return await prepareActivities.prepareJob({ kind, submission });
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
    const { cause } = error;
    if (cause instanceof ApplicationFailure && isErrorCode(cause.type)) {
      throw failureWith({ code: cause.type, message: cause.message });
    }
    if (cause instanceof TimeoutFailure) {
      throw failureWith(describeError('queue_timeout', 'The scheduler did not answer.'));
    }
    throw error;
  }
}

async function start(
  prepared: PreparedJob,
  { outlivesParent = false }: StartJobOptions,
): Promise<ChildWorkflowHandle<Workflow> | undefined> {
  const { args, ...options } = startOptions(prepared);
  try {
    return await startChild(workflowTypeOf(prepared), {
      ...options,
      args: [...args],
      parentClosePolicy: outlivesParent ? ParentClosePolicy.ABANDON : ParentClosePolicy.REQUEST_CANCEL,
      // Until it has cleaned up: then its capacity is back.
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
    });
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
    throw error;
  }
}

async function ended<K extends Kind>(child: ChildWorkflowHandle<Workflow>, prepared: PreparedJob): Promise<Outcome<K>> {
  try {
    return successOf((await child.result()) as JobResult<K>);
  } catch (error) {
    if (!(error instanceof ChildWorkflowFailure)) throw error;
    // A reset of the job terminates the run that we started; the run that took its place has the answer.
    if (error.cause instanceof TerminatedFailure) return await attach<K>(prepared);
    return failureOf(error.cause);
  }
}

/** In the scope of whoever waits: a cancel ends the waiting, not the job. */
async function attach<K extends Kind>({ id, job }: PreparedJob): Promise<Outcome<K>> {
  try {
    const outcome: unknown = await attachActivities.attachJob({ id, inputDigest: job.inputDigest });
    return outcome as Outcome<K>;
  } catch (error) {
    if (error instanceof ActivityFailure && !isCancellation(error)) return failureOf(error.cause);
    throw error;
  }
}

async function cancelJob(id: string): Promise<void> {
  try {
    await getExternalWorkflowHandle(id).cancel();
  } catch (error) {
    // Only a workflow that has ended takes no cancel.
    if (isCancellation(error)) throw error;
  }
}
