import { createHash } from 'node:crypto';
import { canonicalInput, jobId, type Job } from '../../workflows/contract/index.js';
import { jobSchema, problemOf } from '../../workflows/contract/schema/index.js';
import { resolveTarget } from '../capture/index.js';
import { JobFailure } from '../failure.js';

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
  const parsed = jobSchema.safeParse(job);
  if (!parsed.success) {
    const { code, detail } = problemOf(parsed.error);
    throw new JobFailure(code, detail);
  }
  const digest = createHash('sha256').update(canonicalInput(job.input)).digest('hex');
  if (digest !== job.inputDigest) throw new JobFailure('invalid_input', 'inputDigest: not the digest of the input.');
  if (!id.startsWith(jobId(job.kind, job.workspace, ''))) {
    throw new JobFailure('invalid_input', 'The workflow id must be <kind>/<workspace>/<key digest> of the job.');
  }
  resolveTarget(bases, job.input.target);
  const expiresAt = job.input.target.artifact?.expiresAt;
  if (expiresAt === undefined) return;
  if (Date.parse(expiresAt) < now() + remainingMs + ARTIFACT_MARGIN_MS - CLOCK_SKEW_MS)
    throw new JobFailure('target_expired');
}
