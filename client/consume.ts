import type { Client } from '@temporalio/client';
import {
  canonicalExpectation,
  CONSUME_WORKFLOW,
  consumeId,
  TASK_QUEUES,
  type ConsumeInput,
  type Consumption,
  type Expectation,
  type Kind,
} from '../workflows/contract/index.js';
import { sha256 } from './sha256.js';

/** It is two short tasks; after this long nobody serves Darkroom's queues. */
const ANSWER_MS = 60_000;

/** A client reaches no database: a workflow of one activity consumes for it. Calling again asks again, and is told `already`. */
export async function consume<K extends Kind>(
  client: Client,
  job: string,
  expectation: Expectation,
): Promise<Consumption<K>> {
  const { artifact, inputDigest, by } = expectation;
  const input: ConsumeInput = {
    job,
    by,
    inputDigest,
    artifact: artifact === null ? null : { id: artifact.id, version: artifact.version },
  };
  return (await client.workflow.execute(CONSUME_WORKFLOW, {
    workflowId: consumeId(job, sha256(canonicalExpectation(expectation))),
    taskQueue: TASK_QUEUES.workflows,
    args: [input],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowExecutionTimeout: ANSWER_MS,
    staticSummary: `consume for ${by}`,
  })) as Consumption<K>;
}
