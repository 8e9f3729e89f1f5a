import { workflowInfo } from '@temporalio/workflow';
import type { SweepReport } from './contract/index.js';
import { sweepActivities } from './options.js';

/** Each part goes on although another fails; then the run fails, so that operators see it, and the next one makes up for it. */
export async function sweep(): Promise<SweepReport> {
  const last = workflowInfo().lastResult as SweepReport | undefined;
  const [cleared, objects, workflows, forgotten] = await Promise.allSettled([
    sweepActivities.clearExpired(),
    sweepActivities.sweepObjects({ after: last?.objects.next ?? '' }),
    sweepActivities.endClosed(),
    sweepActivities.forgetOld(),
  ]);
  return {
    cleared: valueOf(cleared),
    objects: valueOf(objects),
    workflows: valueOf(workflows),
    forgotten: valueOf(forgotten),
  };
}

function valueOf<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}
