import { CancelledFailure } from '@temporalio/common';
import { CancellationScope } from '@temporalio/workflow';
import type { Kind, Outcome, RequestOf, Submission } from '../contract/index.js';
import { tryStartJob, type ParentJob } from './job.js';

/** One job of a batch: what `startJob` takes, with its kind. */
export type BatchItem = { [K in Kind]: { readonly kind: K } & Submission<RequestOf<K>> }[Kind];

export interface BatchResult {
  /** Null when the item was refused before there was a job. */
  readonly job: ParentJob | null;
  readonly outcome: Outcome;
}

export interface BatchOutcome {
  /** In the order of the items. */
  readonly results: readonly BatchResult[];
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
}

export interface BatchOptions {
  /** Jobs at once, at least 1. What more than the pool takes only waits in its queue, against the queue deadline. */
  readonly concurrency: number;
}

/**
 * Runs many jobs and completes once, when all have ended; one that fails is told by its item and ends no other. A cancel of
 * the parent cancels all that the batch started and starts no more; it fails as cancelled when they have ended.
 */
export async function renderBatch(items: readonly BatchItem[], { concurrency }: BatchOptions): Promise<BatchOutcome> {
  const results: BatchResult[] = [];
  const queue = items.entries();
  const lane = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await renderItem(item);
  };
  const lanes = await Promise.allSettled(Array.from({ length: Math.max(1, concurrency) }, lane));
  if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('The batch was cancelled.');
  for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason;
  const count = (status: Outcome['status']): number =>
    results.filter(({ outcome }) => outcome.status === status).length;
  return { results, succeeded: count('succeeded'), failed: count('failed'), cancelled: count('cancelled') };
}

async function renderItem({ kind, ...submission }: BatchItem): Promise<BatchResult> {
  const job = await tryStartJob(kind, submission);
  return 'error' in job ? { job: null, outcome: job } : { job, outcome: await job.wait() };
}
