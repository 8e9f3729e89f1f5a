/** Parents that tests run: the samples, and small ones that show one thing each. The entry of their bundle. */
import { condition, defineSignal, executeChild, ParentClosePolicy, setHandler } from '@temporalio/workflow';
import {
  diagnose,
  renderBatch,
  startJob,
  takeScreenshot,
  TASK_QUEUES,
  type BatchItem,
  type Diagnosis,
  type Job,
  type JobResult,
  type Outcome,
  type RequestOf,
  type Results,
  type Submission,
} from '../../workflows/index.js';

export { batchContinuation } from '../samples/batch-continuation.js';
export { publishOnce } from '../samples/publish-once.js';

type Screenshot = Submission<RequestOf<'page_screenshot'>>;

export interface Waited {
  readonly id: string;
  readonly started: boolean;
  readonly outcome: Outcome;
}

export async function startAndWait(submission: Screenshot): Promise<Waited> {
  const job = await startJob('page_screenshot', submission);
  return { id: job.id, started: job.started, outcome: await job.wait() };
}

/** Starts a job, lets go of it, and waits until it is cancelled itself. */
export async function startAndDetach(submission: Screenshot): Promise<void> {
  const job = await startJob('page_screenshot', submission, { outlivesParent: true });
  job.detach();
  await job.wait();
}

/** Cancels its own job as soon as it is told to, and tells how that ended. */
export async function startAndCancel(submission: Screenshot): Promise<Outcome> {
  let isTold = false;
  setHandler(defineSignal('cancelJob'), () => {
    isTold = true;
  });
  const job = await startJob('page_screenshot', submission);
  await condition(() => isTold);
  await job.cancel();
  const outcome = await job.wait();
  await job.cancel();
  return outcome;
}

export async function picture(submission: Screenshot): Promise<Results['page_screenshot']> {
  return await takeScreenshot(submission);
}

export async function diagnosis(submission: Screenshot): Promise<Diagnosis<'page_screenshot'>> {
  return await diagnose('page_screenshot', submission);
}

export interface Batched {
  readonly ids: readonly (string | null)[];
  readonly statuses: readonly string[];
  readonly codes: readonly (string | null)[];
  readonly counts: readonly number[];
}

export async function batch(items: readonly BatchItem[]): Promise<Batched> {
  const { results, succeeded, failed, cancelled } = await renderBatch(items, { concurrency: 2 });
  return {
    ids: results.map(({ job }) => job?.id ?? null),
    statuses: results.map(({ outcome }) => outcome.status),
    codes: results.map(({ outcome }) => (outcome.status === 'succeeded' ? null : outcome.error.code)),
    counts: [succeeded, failed, cancelled],
  };
}

/** Without any helper of ours: the contract's names are enough. */
export async function byHand(workflowId: string, job: Job): Promise<JobResult> {
  return (await executeChild('pageScreenshot', {
    workflowId,
    taskQueue: TASK_QUEUES.workflows,
    args: [job],
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
  })) as JobResult;
}
