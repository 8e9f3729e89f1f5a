import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { nothing } from './nothing.js';

export interface Floor {
  /** From start to result. */
  readonly run: () => Promise<void>;
  stop(): Promise<void>;
}

/** What Temporal itself takes on this machine for a workflow of as many activities as a job has, all of them empty. */
export async function startFloor(address: string): Promise<Floor> {
  Runtime.install({ logger: new DefaultLogger('WARN') });
  const taskQueue = `floor-${randomUUID()}`;
  const native = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    connection: native,
    taskQueue,
    workflowsPath: fileURLToPath(new URL('workflow.ts', import.meta.url)),
    activities: { nothing },
  });
  const running = worker.run();
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  return {
    run: () => client.workflow.execute('fourSteps', { taskQueue, workflowId: randomUUID() }),
    stop: async () => {
      worker.shutdown();
      await running;
      await connection.close();
      await native.close();
    },
  };
}
