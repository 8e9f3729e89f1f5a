import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { Capacity } from '../../scheduler/index.js';
import {
  describeError,
  isConflict,
  type ConsumeInput,
  type Consumption,
  type ParentActivities,
  type PrepareJobAnswer,
  type PrepareJobInput,
} from '../../workflows/contract/index.js';
import { prepareJob } from '../../workflows/contract/schema/index.js';
import { JobFailure } from '../failure.js';
import { sha256 } from '../sha256.js';
import { createAttachJob } from './attach.js';

export interface ParentPorts {
  readonly capacity: Pick<Capacity, 'consume'>;
  readonly temporal: Client;
  /** How many parents may wait at once in this process: they hold activity slots that capacity calls need too. */
  readonly attachedAtOnce: number;
}

/** What parents call: none of it changes anything but `consumeResult`, which may be repeated. */
export function parentActivities({ capacity, temporal, attachedAtOnce }: ParentPorts) {
  return {
    async prepareJob({ kind, submission }: PrepareJobInput): Promise<PrepareJobAnswer> {
      const prepared = prepareJob(kind, submission, sha256);
      if (prepared.state === 'refused') throw new JobFailure(prepared.problem.code, prepared.problem.detail);
      const { id, job } = prepared;
      return { id, job, exists: await exists(temporal, id, job.inputDigest) };
    },

    attachJob: createAttachJob(temporal, attachedAtOnce),

    async consumeResult(input: ConsumeInput): Promise<Consumption> {
      const answer = await capacity.consume(input);
      if (answer.state === 'none') return answer;
      if (answer.state === 'refused') return { state: 'refused', error: describeError(answer.code) };
      // The row was written by a capture of the job's kind.
      return { state: answer.state, by: answer.by, result: answer.result.result as never };
    },
  } satisfies ParentActivities;
}

async function exists(temporal: Client, id: string, inputDigest: string): Promise<boolean> {
  try {
    const { memo } = await temporal.workflow.getHandle(id).describe();
    if (isConflict(memo, inputDigest)) throw new JobFailure('idempotency_conflict');
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
