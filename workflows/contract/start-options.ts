import { TASK_QUEUES, WORKFLOW_TYPES } from './names.js';
import { initialSearchAttributes, keyword } from './search-attributes.js';
import type { PreparedJob } from './submission.js';

/** Name of the memo that tells which input a job's key stands for. */
export const DIGEST_MEMO = 'inputDigest';

/** How a job's workflow is started, by a client and by a parent alike. */
export function startOptions({ id, job }: PreparedJob) {
  const { base, path, artifact } = job.input.target;
  return {
    workflowId: id,
    taskQueue: TASK_QUEUES.workflows,
    args: [job],
    // One key is one job for ever: a finished one is returned, never run again.
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    memo: {
      user: job.user,
      [DIGEST_MEMO]: job.inputDigest,
      ...(job.operation === undefined ? {} : { operation: job.operation }),
      ...(artifact === undefined ? {} : { artifact: artifact.id }),
    },
    typedSearchAttributes: Object.entries(initialSearchAttributes(job)).map(([name, value]) => ({
      key: keyword(name),
      value,
    })),
    staticSummary: `${job.kind} ${base}:${path}`,
  } as const;
}

export function workflowTypeOf({ job }: PreparedJob): string {
  return WORKFLOW_TYPES[job.kind];
}

/** Who starts a job by hand may leave the memo out; then the scheduler refuses another input, and so does `consume`. */
export function isConflict(memo: Readonly<Record<string, unknown>> | undefined, inputDigest: string): boolean {
  const known = memo?.[DIGEST_MEMO];
  return known !== undefined && known !== inputDigest;
}
