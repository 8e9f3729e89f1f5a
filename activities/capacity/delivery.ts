import { WorkflowNotFoundError, type WorkflowClient } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Capacity, Grant } from '../../scheduler/index.js';
import { SIGNALS, type CapacityGranted, type SessionLost } from '../../workflows/contract/index.js';
import { messageOf } from '../failure.js';

/** Tells workflows what the scheduler decided. What cannot be told now stays in the outbox and comes again with a sweep. */
export interface Delivery {
  grants(grants: readonly Grant[]): Promise<void>;
  lost(grants: readonly Grant[], reason: SessionLost['reason']): Promise<void>;
}

export interface DeliveryPorts {
  readonly capacity: Pick<Capacity, 'delivered' | 'release'>;
  readonly workflows: Pick<WorkflowClient, 'getHandle'>;
  readonly log: Logger;
}

export function createDelivery({ capacity, workflows, log }: DeliveryPorts): Delivery {
  const signal = async (grant: Grant, name: string, payload: CapacityGranted | SessionLost): Promise<boolean> => {
    try {
      await workflows.getHandle(grant.ticket.job, grant.ticket.runId).signal(name, payload);
      return true;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  };

  /** A run that has ended, or was reset, uses no grant: its slot goes to the next one at once. */
  const grant = async (granted: Grant): Promise<void> => {
    if (await signal(granted, SIGNALS.capacityGranted, { grant: granted })) {
      await capacity.delivered([granted]);
      return;
    }
    await delivery.grants((await capacity.release(granted)).grants);
  };

  const each = async (grants: readonly Grant[], tell: (granted: Grant) => Promise<unknown>): Promise<void> => {
    const outcomes = await Promise.allSettled(grants.map(tell));
    outcomes.forEach((outcome, index) => {
      if (outcome.status === 'fulfilled') return;
      const { ticket, reservation } = grants[index] ?? {};
      log.warn(
        { ...ticket, reservation, error: messageOf(outcome.reason) },
        'workflow not told yet: a grant comes again with the next sweep, a loss is found by its lease',
      );
    });
  };

  const delivery: Delivery = {
    grants: (grants) => each(grants, grant),
    lost: (grants, reason) =>
      each(grants, ({ reservation, generation, ...rest }) =>
        signal({ reservation, generation, ...rest }, SIGNALS.sessionLost, { reservation, generation, reason }),
      ),
  };
  return delivery;
}
