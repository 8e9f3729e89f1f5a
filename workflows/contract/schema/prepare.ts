import { canonicalInput, jobId } from '../ids.js';
import type { Job } from '../job.js';
import type { Inputs } from '../kinds.js';
import { CONTRACT_VERSION, type Kind } from '../names.js';
import type { PreparedJob, Submission } from '../submission.js';
import { INPUT_SCHEMAS, jobSchema } from './job.js';
import { problemOf, type Problem } from './problems.js';

/** Hex SHA-256 of UTF-8 text. An argument, since neither browsers nor workflows have Node's. */
export type Sha256 = (text: string) => string;

export type Preparation<K extends Kind> =
  ({ readonly state: 'prepared' } & PreparedJob<K>) | { readonly state: 'refused'; readonly problem: Problem };

/** From what a caller says to a job: defaults filled in, digest and workflow id derived. The same says the same job. */
export function prepareJob<K extends Kind>(kind: K, submission: Submission<unknown>, sha256: Sha256): Preparation<K> {
  const parsed = INPUT_SCHEMAS[kind].safeParse(submission.input);
  if (!parsed.success) return { state: 'refused', problem: problemOf(parsed.error) };
  const { workspace, user, operation, bounds, key } = submission;
  const input = parsed.data as Inputs[K];
  const inputDigest = sha256(canonicalInput(input));
  const job: Job<K> = {
    v: CONTRACT_VERSION,
    kind,
    class: submission.class ?? 'interactive',
    workspace,
    user,
    operation,
    inputDigest,
    bounds,
    input,
  };
  const problem = problemOfJob(job, sha256);
  if (problem !== undefined) return { state: 'refused', problem };
  const keyDigest = sha256(key ?? `${operation ?? ''}\n${inputDigest}`);
  return { state: 'prepared', id: jobId(kind, workspace, keyDigest), job };
}

/** What is wrong with a job, undefined if nothing is. */
export function problemOfJob(job: Job, sha256: Sha256): Problem | undefined {
  const parsed = jobSchema.safeParse(job);
  if (!parsed.success) return problemOf(parsed.error);
  // Whoever starts the workflow by hand may have left the defaults out, and handlers count on them.
  if (canonicalInput(parsed.data.input) !== canonicalInput(job.input)) {
    return { code: 'invalid_input', detail: 'input: not with its defaults filled in, as `submit` does it.' };
  }
  if (sha256(canonicalInput(job.input)) === job.inputDigest) return undefined;
  return { code: 'invalid_input', detail: 'inputDigest: not the digest of the input.' };
}
