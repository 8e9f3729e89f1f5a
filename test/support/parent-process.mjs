/** A parent's workflow worker in a process of its own, so that a test may kill it: `parent-process.mjs <options as JSON>`. */
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';

const { address, namespace, taskQueue, codePath } = JSON.parse(process.argv[2] ?? '{}');
Runtime.install({ shutdownSignals: [], logger: new DefaultLogger('WARN') });
process.on('disconnect', () => process.exit(1));
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  namespace,
  taskQueue,
  workflowBundle: { codePath },
  // What a killed worker had in its cache is told to another after this long.
  stickyQueueScheduleToStartTimeout: 1_000,
});
const running = worker.run();
process.on('SIGTERM', () => worker.shutdown());
process.send({ event: 'ready' });
await running;
await connection.close();
process.exit(0);
