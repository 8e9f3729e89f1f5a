import { SWEEP_SCHEDULE, type SweepReport } from '../../workflows/contract/index.js';
import { eventually } from './eventually.js';
import type { World } from './world.js';

/** Has the schedule sweep now, and waits for the end of that run. */
export async function sweepNow(world: Pick<World, 'temporal'>): Promise<SweepReport> {
  const schedule = world.temporal.schedule.getHandle(SWEEP_SCHEDULE);
  const runs = async (): Promise<readonly { readonly workflowId: string; readonly runId: string }[]> => {
    const { info } = await schedule.describe();
    return info.recentActions.map(({ action }) => ({
      workflowId: action.workflow.workflowId,
      runId: action.workflow.firstExecutionRunId,
    }));
  };
  const before = new Set((await runs()).map(({ runId }) => runId));
  await schedule.trigger();
  const [run] = await eventually(
    async () => (await runs()).filter(({ runId }) => !before.has(runId)),
    (started) => started.length > 0,
  );
  if (run === undefined) throw new Error('the schedule started nothing');
  return (await world.temporal.workflow.getHandle(run.workflowId, run.runId).result()) as SweepReport;
}
