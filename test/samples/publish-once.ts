import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import { startJob, type ErrorCode, type StoredObject } from '../../workflows/index.js';
import type { BusinessActivities } from './business.js';

export interface PublishOrder {
  readonly page: string;
  /** The version that is to be published. */
  readonly version: string;
  /** Where Darkroom finds it. */
  readonly target: { readonly base: string; readonly path: string };
  /** ISO 8601; the artifact must outlive the job. */
  readonly expiresAt: string;
  readonly workspace: string;
  readonly user: string;
}

export type Published =
  | { readonly status: 'published'; readonly picture: StoredObject }
  /** The page has another version by now: this one is never published. */
  | { readonly status: 'outdated' }
  | { readonly status: 'not_rendered'; readonly code: ErrorCode };

const business = proxyActivities<BusinessActivities>({
  startToCloseTimeout: '10 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

/**
 * Publishes one version of a page with its picture, once, however often the picture is rendered, this workflow is reset or
 * started again, or its worker dies. Darkroom gives one result for the operation; that the publication is written once is
 * the business's own fence, in the transaction of `publish`.
 */
export async function publishOnce(order: PublishOrder): Promise<Published> {
  const { page, version, target, expiresAt, workspace, user } = order;
  const operation = `publish-${page}-${version}`;
  const job = await startJob('page_screenshot', {
    input: {
      target: { ...target, artifact: { id: page, version, expiresAt } },
      page: { waitFor: [{ type: 'ready' }] },
    },
    operation,
    workspace,
    user,
  });
  const outcome = await job.wait();
  if (outcome.status !== 'succeeded') return { status: 'not_rendered', code: outcome.error.code };

  // Rendering took its time: what is taken over must be of the version that holds now.
  const present = await business.versionOf(page);
  const consumed = await job.consume({ artifact: { id: page, version: present }, by: operation });
  if (consumed.state === 'refused') return { status: 'outdated' };
  if (consumed.state === 'none') return { status: 'not_rendered', code: 'result_expired' };

  const picture = consumed.result.object;
  const written = await business.publish({ operation, page, version, picture: picture.key });
  return written ? { status: 'published', picture } : { status: 'outdated' };
}
