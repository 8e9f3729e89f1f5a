import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { TASK_QUEUES, WORKER_DEPLOYMENT } from '../workflows/contract/index.js';
import { runProcess } from './process.js';

/** Made by `bundle.ts` at build time, so that a worker starts without a bundler. */
const BUNDLE = fileURLToPath(new URL('../workflow-bundle.js', import.meta.url));

/** A job stays with the build that started it, so a build may change what workflows do. */
const versioned = (buildId: string): Pick<WorkerOptions, 'workerDeploymentOptions'> => ({
  workerDeploymentOptions: {
    useWorkerVersioning: true,
    version: { deploymentName: WORKER_DEPLOYMENT, buildId },
    defaultVersioningBehavior: 'PINNED',
  },
});

await runProcess('workflow-worker', async ({ temporal }) => {
  const connection = await NativeConnection.connect({ address: temporal.address });
  const worker = await Worker.create({
    connection,
    namespace: temporal.namespace,
    taskQueue: TASK_QUEUES.workflows,
    workflowBundle: { codePath: BUNDLE },
    ...(temporal.buildId !== undefined && versioned(temporal.buildId)),
  });
  const running = worker.run();
  return {
    ready: { taskQueue: TASK_QUEUES.workflows, ...(temporal.buildId !== undefined && { buildId: temporal.buildId }) },
    running,
    async stop() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await running;
      await connection.close();
    },
  };
});
