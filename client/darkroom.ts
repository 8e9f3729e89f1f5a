import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import {
  canonicalInput,
  CONTRACT_VERSION,
  initialSearchAttributes,
  jobId,
  TASK_QUEUES,
  WORKFLOW_TYPES,
  type Inputs,
  type Job,
  type JobBounds,
  type JobClass,
  type Kind,
} from '../workflows/contract/index.js';
import { INPUT_SCHEMAS, jobSchema, problemOf } from '../workflows/contract/schema/index.js';
import { DarkroomError } from './error.js';
import { createJobHandle, type JobHandle } from './job-handle.js';

/** What a caller says about one job. `user` and `workspace` come from the caller's own authentication. */
export interface Submission<Input> {
  readonly input: Input;
  readonly workspace: string;
  readonly user: string;
  readonly class?: JobClass;
  /** Submitting the same key again gives the same job. Defaults to the operation and the digest of the input. */
  readonly key?: string;
  /** The caller's operation that this job serves. */
  readonly operation?: string;
  /** Lower bounds than the operator's, in milliseconds. */
  readonly bounds?: JobBounds;
}

/** An input as callers write it, before defaults. */
type RequestOf<K extends Kind> = z.input<(typeof INPUT_SCHEMAS)[K]>;

export interface Darkroom {
  /**
   * Starts the job, or attaches to the one that has its key, running or finished. Fails with `DarkroomError`:
   * `invalid_input`, `unsupported_option`, or `idempotency_conflict` when the key was used with another input.
   */
  submit<K extends Kind>(kind: K, submission: Submission<RequestOf<K>>): Promise<JobHandle<K>>;
  /** The job with this id, whether it exists or not. */
  job<K extends Kind = Kind>(id: string): JobHandle<K>;
}

/** `client` is connected to the namespace that Darkroom's workers serve. */
export function createDarkroom(client: Client): Darkroom {
  return {
    async submit(kind, submission) {
      const job = jobOf(kind, submission);
      const id = jobId(kind, submission.workspace, keyDigestOf(job, submission.key));
      try {
        await client.workflow.start(WORKFLOW_TYPES[kind], startOptions(id, job));
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        await refuseConflict(client, id, job);
      }
      return createJobHandle(client, id);
    },
    job: (id) => createJobHandle(client, id),
  };
}

function jobOf<K extends Kind>(kind: K, submission: Submission<RequestOf<K>>): Job<K> {
  const parsed = INPUT_SCHEMAS[kind].safeParse(submission.input);
  if (!parsed.success) throw refusal(problemOf(parsed.error));
  const input = parsed.data as Inputs[K];
  const job: Job<K> = {
    v: CONTRACT_VERSION,
    kind,
    class: submission.class ?? 'interactive',
    workspace: submission.workspace,
    user: submission.user,
    operation: submission.operation,
    inputDigest: sha256(canonicalInput(input)),
    bounds: submission.bounds,
    input,
  };
  const checked = jobSchema.safeParse(job);
  if (!checked.success) throw refusal(problemOf(checked.error));
  return job;
}

function keyDigestOf(job: Job, key: string | undefined): string {
  return sha256(key ?? `${job.operation ?? ''}\n${job.inputDigest}`);
}

function startOptions(id: string, job: Job) {
  const { base, path, artifact } = job.input.target;
  return {
    workflowId: id,
    taskQueue: TASK_QUEUES.workflows,
    args: [job],
    // One key is one job for ever: a finished one is returned, never run again.
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    workflowIdConflictPolicy: 'FAIL',
    memo: {
      user: job.user,
      inputDigest: job.inputDigest,
      ...(job.operation === undefined ? {} : { operation: job.operation }),
      ...(artifact === undefined ? {} : { artifact: artifact.id }),
    },
    typedSearchAttributes: Object.entries(initialSearchAttributes(job)).map(keyword),
    staticSummary: `${job.kind} ${base}:${path}`,
  } as const;
}

async function refuseConflict(client: Client, id: string, job: Job): Promise<void> {
  const { memo } = await client.workflow.getHandle(id).describe();
  const digest = memo?.['inputDigest'];
  // A parent that starts the workflow itself may leave the memo out; the scheduler checks the digest too.
  if (digest !== undefined && digest !== job.inputDigest) throw new DarkroomError('idempotency_conflict');
}

function keyword([name, value]: readonly [string, string]) {
  return { key: defineSearchAttributeKey(name, SearchAttributeType.KEYWORD), value };
}

function refusal({ code, detail }: ReturnType<typeof problemOf>): DarkroomError {
  return new DarkroomError(code, detail);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
