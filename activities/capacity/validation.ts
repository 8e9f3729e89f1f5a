import { jobId, type Job } from '../../workflows/contract/index.js';
import { problemOfJob } from '../../workflows/contract/schema/index.js';
import { resolveTarget } from '../capture/index.js';
import { JobFailure } from '../failure.js';
import { sha256 } from '../sha256.js';

export interface Validation {
  readonly bases: Readonly<Record<string, URL>>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** How much longer than the job an artifact must live: its result is consumed after the job has ended. */
const ARTIFACT_MARGIN_MS = 120_000;
/** The job's start is told by Temporal's clock, the present by this machine's. An accepted artifact stays accepted. */
const CLOCK_SKEW_MS = 5_000;

/**
 * What the client checked is checked again, since a parent may start the workflow itself. Fails with `invalid_input`,
 * `unsupported_option`, `target_forbidden` or `target_expired`.
 */
export function validateJob({ bases, now }: Validation, job: Job, id: string, remainingMs: number): void {
  const problem = problemOfJob(job, sha256);
  if (problem !== undefined) throw new JobFailure(problem.code, problem.detail);
  if (!id.startsWith(jobId(job.kind, job.workspace, ''))) {
    throw new JobFailure('invalid_input', 'The workflow id must be <kind>/<workspace>/<key digest> of the job.');
  }
  resolveTarget(bases, job.input.target);
  const expiresAt = job.input.target.artifact?.expiresAt;
  if (expiresAt === undefined) return;
  if (Date.parse(expiresAt) < now() + remainingMs + ARTIFACT_MARGIN_MS - CLOCK_SKEW_MS)
    throw new JobFailure('target_expired');
}
