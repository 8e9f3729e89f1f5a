import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { nothing } from './nothing.js';

const activities = proxyActivities<{ nothing: typeof nothing }>({
  startToCloseTimeout: 10_000,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

/** The steps of a job with nothing in them. */
export async function fourSteps(): Promise<void> {
  for (let step = 0; step < 4; step += 1) await activities.nothing();
}
