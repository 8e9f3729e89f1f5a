import { ScheduleAlreadyRunning, type Client } from '@temporalio/client';
import { SWEEP_SCHEDULE, SWEEP_WORKFLOW, TASK_QUEUES } from '../../workflows/contract/index.js';

/** Every capacity worker makes sure of it when it starts. What an operator did with it, such as a pause, stays. */
export async function ensureSweepSchedule(temporal: Client, everyMs: number): Promise<void> {
  const wanted = scheduleOf(everyMs);
  try {
    await temporal.schedule.create({ scheduleId: SWEEP_SCHEDULE, ...wanted });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await temporal.schedule.getHandle(SWEEP_SCHEDULE).update(({ state }) => ({ ...wanted, state }));
  }
}

function scheduleOf(everyMs: number) {
  return {
    spec: { intervals: [{ every: everyMs }] },
    action: {
      type: 'startWorkflow' as const,
      workflowType: SWEEP_WORKFLOW,
      workflowId: SWEEP_SCHEDULE,
      taskQueue: TASK_QUEUES.workflows,
      args: [],
      staticSummary: 'Retention, orphans in the bucket, closed workflows',
    },
    // A run that takes long is not joined by another, and those that were missed are not made up for.
    policies: { overlap: 'SKIP' as const, catchupWindow: everyMs },
  };
}
