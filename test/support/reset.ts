import type { Client } from '@temporalio/client';

/**
 * Resets a workflow's present run to one of its workflow tasks, as an operator does in Temporal's UI: what happened from
 * that task on is done again, by a new run.
 */
export async function resetRun(
  { workflow, workflowService, options }: Client,
  workflowId: string,
  to: 'first task' | 'start of its child' | 'last task' = 'last task',
): Promise<{ readonly oldRunId: string; readonly newRunId: string }> {
  const { runId } = await workflow.getHandle(workflowId).describe();
  const { events } = await workflow.getHandle(workflowId, runId).fetchHistory();
  const tasks = (events ?? []).filter(({ workflowTaskCompletedEventAttributes: completed }) => completed);
  const starts = (events ?? []).find(({ startChildWorkflowExecutionInitiatedEventAttributes: child }) => child);
  const task = {
    'first task': tasks[0]?.eventId,
    'start of its child': starts?.startChildWorkflowExecutionInitiatedEventAttributes?.workflowTaskCompletedEventId,
    'last task': tasks.at(-1)?.eventId,
  }[to];
  const { runId: newRunId } = await workflowService.resetWorkflowExecution({
    namespace: options.namespace,
    workflowExecution: { workflowId, runId },
    workflowTaskFinishEventId: task ?? null,
    requestId: `${workflowId}-${runId}`,
    reason: 'test',
  });
  return { oldRunId: runId, newRunId };
}
