import { Client, Connection } from '@temporalio/client';
import type { Logger } from 'pino';
import { createDelivery, Nodes, type Delivery } from '../activities/index.js';
import { createCapacity, createPool, createRetention, type Capacity, type RetentionStore } from '../scheduler/index.js';
import type { Configuration } from './configuration/index.js';

/** What capacity and render workers have in common: the scheduler, the nodes, and a way to tell workflows. */
export interface Parts {
  readonly capacity: Capacity;
  readonly retention: RetentionStore;
  readonly delivery: Delivery;
  readonly nodes: Nodes;
  readonly temporal: Client;
  close(): Promise<void>;
}

export async function createParts(configuration: Configuration, log: Logger): Promise<Parts> {
  const pool = createPool({
    connectionString: configuration.postgres.url,
    max: configuration.postgres.connections,
    applicationName: log.bindings()['name'] as string,
    onIdleError: (error) => {
      log.warn({ error: error.message }, 'database connection lost');
    },
  });
  const capacity = createCapacity(pool);
  const connection = await Connection.connect({ address: configuration.temporal.address });
  const client = new Client({ connection, namespace: configuration.temporal.namespace });
  return {
    capacity,
    retention: createRetention(pool),
    delivery: createDelivery({ capacity, workflows: client.workflow, log }),
    nodes: new Nodes(configuration.nodeConnections),
    temporal: client,
    async close() {
      await connection.close();
      await pool.end();
    },
  };
}
