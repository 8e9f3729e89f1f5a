import { activityInfo } from '@temporalio/activity';
import type { Capacity, RequestAnswer, StoredResult } from '../../scheduler/index.js';
import type {
  ArtifactRef,
  Bounds,
  CapacityActivities,
  CapacityState,
  CommittedResult,
  Job,
  RequestCapacityInput,
  Ticket,
} from '../../workflows/contract/index.js';
import type { Delivery } from './delivery.js';
import { validateJob, type Validation } from './validation.js';

export interface CapacityPorts extends Validation {
  readonly capacity: Capacity;
  readonly delivery: Delivery;
  readonly bounds: Bounds;
}

export function capacityActivities({ capacity, delivery, bounds, ...validation }: CapacityPorts) {
  return {
    async requestCapacity({ job, attempt, elapsedMs, giveBack }: RequestCapacityInput) {
      const ticket = ticketOf(attempt);
      validateJob(validation, job, ticket.job, totalMsOf(job, bounds) - elapsedMs);
      const isOurs = giveBack?.ticket.runId === ticket.runId && giveBack.ticket.attempt === attempt;
      const answer = isOurs
        ? await capacity.requeue(giveBack, giveBack.reason, 0)
        : await capacity.request({
            ticket,
            kind: job.kind,
            class: job.class,
            workspace: job.workspace,
            user: job.user,
            contractVersion: job.v,
            inputDigest: job.inputDigest,
            artifact: artifactOf(job),
            queueMs: Math.min(bounds.queueMs, job.bounds?.queueMs ?? Infinity),
          });
      await delivery.grants(answer.grants);
      return { bounds, ...stateOf('answer' in answer ? answer.answer : answer) };
    },

    async withdrawRequest({ ticket, keepGrant }) {
      const { grants, ...answer } = await capacity.withdraw(ticket, { keepGrant });
      await delivery.grants(grants);
      return answer;
    },

    async releaseCapacity(ref) {
      const { grants, released } = await capacity.release(ref);
      await delivery.grants(grants);
      return { released };
    },

    async quarantineCapacity({ reason, ...ref }) {
      const { quarantined, grants } = await capacity.quarantine(ref, reason);
      await delivery.grants(grants);
      const stored = await capacity.result(ownRun().job);
      return { quarantined, ...(stored && { result: committedOf(stored) }) };
    },
  } satisfies CapacityActivities;
}

function totalMsOf(job: Job, bounds: Bounds): number {
  return Math.min(bounds.totalMs, job.bounds?.totalMs ?? Infinity);
}

function artifactOf({ input }: Job): ArtifactRef | null {
  const { artifact } = input.target;
  return artifact === undefined ? null : { id: artifact.id, version: artifact.version };
}

/** Taken from Temporal, not from the caller: a run can ask under no other ticket than its own. */
function ticketOf(attempt: number): Ticket {
  return { ...ownRun(), attempt };
}

function ownRun(): Omit<Ticket, 'attempt'> {
  const { workflowExecution } = activityInfo();
  return { job: workflowExecution?.workflowId ?? '', runId: workflowExecution?.runId ?? '' };
}

function committedOf({ attempt, result }: StoredResult): CommittedResult {
  return { attempt, result: result as never };
}

/** What the workflow is told; fields that only the scheduler needs stay here, since histories keep all. */
export function stateOf(answer: RequestAnswer): CapacityState {
  switch (answer.state) {
    case 'granted':
      return { state: 'granted', grant: answer.grant };
    case 'queued':
      return { state: 'queued', position: answer.position, remainingMs: answer.remainingMs };
    case 'done':
      return { state: 'done', result: committedOf(answer.result) };
    case 'withdrawn':
      return { state: 'withdrawn' };
    case 'ended':
      return { state: 'ended', last: answer.last };
    case 'refused':
      return { state: 'refused', code: answer.code };
  }
}
