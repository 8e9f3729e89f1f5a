import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import { TASK_QUEUES } from '../workflows/contract/index.js';
import { runProcess } from './process.js';

/** Made by `bundle.ts` at build time, so that a worker starts without a bundler. */
const BUNDLE = fileURLToPath(new URL('../workflow-bundle.js', import.meta.url));

await runProcess('workflow-worker', async ({ temporal }) => {
  const connection = await NativeConnection.connect({ address: temporal.address });
  const worker = await Worker.create({
    connection,
    namespace: temporal.namespace,
    taskQueue: TASK_QUEUES.workflows,
    workflowBundle: { codePath: BUNDLE },
  });
  const running = worker.run();
  return {
    ready: { taskQueue: TASK_QUEUES.workflows },
    running,
    async stop() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await running;
      await connection.close();
    },
  };
});
