import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import {
  isConflict,
  startOptions,
  workflowTypeOf,
  type Kind,
  type PreparedJob,
  type RequestOf,
  type Submission,
} from '../workflows/contract/index.js';
import { prepareJob } from '../workflows/contract/schema/index.js';
import { abortable, type Abortable } from './abort.js';
import { DarkroomError } from './error.js';
import { createJobHandle, type JobHandle } from './job-handle.js';
import { sha256 } from './sha256.js';

export interface Darkroom {
  /**
   * Starts the job, or attaches to the one that has its key, running or finished. Fails with `DarkroomError`:
   * `invalid_input`, `unsupported_option`, or `idempotency_conflict` when the key was used with another input. A job whose
   * submit was aborted may have been started: submitting it again gives it.
   */
  submit<K extends Kind>(kind: K, submission: Submission<RequestOf<K>>, options?: Abortable): Promise<SubmittedJob<K>>;
  /** The job with this id, whether it exists or not. */
  job<K extends Kind = Kind>(id: string): JobHandle<K>;
}

export interface SubmittedJob<K extends Kind = Kind> extends JobHandle<K> {
  /** Of the input with its defaults: what `consume` is to expect. */
  readonly inputDigest: string;
}

/** `client` is connected to the namespace that Darkroom's workers serve. */
export function createDarkroom(client: Client): Darkroom {
  return {
    async submit<K extends Kind>(kind: K, submission: Submission<RequestOf<K>>, options: Abortable = {}) {
      const prepared = prepareJob(kind, submission, sha256);
      if (prepared.state === 'refused') throw new DarkroomError(prepared.problem.code, prepared.problem.detail);
      await abortable(client, options, () => startOrAttach(client, prepared));
      return { ...createJobHandle<K>(client, prepared.id), inputDigest: prepared.job.inputDigest };
    },
    job: (id) => createJobHandle(client, id),
  };
}

async function startOrAttach(client: Client, prepared: PreparedJob): Promise<void> {
  try {
    const options = { ...startOptions(prepared), workflowIdConflictPolicy: 'FAIL' as const };
    await client.workflow.start(workflowTypeOf(prepared), options);
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    const { memo } = await client.workflow.getHandle(prepared.id).describe();
    if (isConflict(memo, prepared.job.inputDigest)) throw new DarkroomError('idempotency_conflict');
  }
}
