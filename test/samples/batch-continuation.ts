import { ActivityCancellationType, continueAsNew, proxyActivities } from '@temporalio/workflow';
import { renderBatch, storedObjects } from '../../workflows/index.js';
import type { AlbumEntry, BusinessActivities } from './business.js';

/** All that a run needs of the runs before it. */
export interface AlbumOrder {
  readonly album: string;
  readonly paths: readonly string[];
  readonly base: string;
  /** Jobs between two continuations: a run's history stays short however long the album is. */
  readonly chunk: number;
  readonly workspace: string;
  readonly user: string;
  readonly done?: readonly AlbumEntry[];
}

const business = proxyActivities<BusinessActivities>({
  startToCloseTimeout: '10 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

/**
 * Renders an album of any length and writes it once, at its end. Each run renders one chunk, waits for all of it (a job that
 * still ran would be cancelled with the run), and continues as new. A run that is reset finds the jobs that it had: their
 * keys are of the album and the path, not of the run.
 */
export async function batchContinuation(order: AlbumOrder): Promise<readonly AlbumEntry[]> {
  const { album, paths, base, chunk, workspace, user, done = [] } = order;
  const now = paths.slice(done.length, done.length + chunk);
  const items = now.map((path) => ({
    kind: 'page_screenshot' as const,
    input: { target: { base, path } },
    operation: `album-${album}`,
    class: 'background' as const,
    workspace,
    user,
  }));
  const { results } = await renderBatch(items, { concurrency: 2 });
  const entries = results.map(({ outcome }, index): AlbumEntry => {
    const path = now[index] ?? '';
    return outcome.status === 'succeeded'
      ? { path, picture: storedObjects(outcome.result)['object']?.key ?? null, code: null }
      : { path, picture: null, code: outcome.error.code };
  });
  const all = [...done, ...entries];
  if (all.length < paths.length) await continueAsNew<typeof batchContinuation>({ ...order, done: all });
  await business.writeAlbum({ album, entries: all });
  return all;
}
