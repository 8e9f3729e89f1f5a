import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import type pg from 'pg';
import { inject } from 'vitest';
import { BUSINESS_TABLES, businessActivities } from '../samples/business.js';
import { createDatabase } from './postgres.js';
import type { World } from './world.js';

/** A business beside Darkroom: its own tables, its own task queue, and a workflow worker that may be killed. */
export interface Parents {
  readonly tables: pg.Pool;
  /** Starts a workflow of `parent-workflows.ts`, with an id of its own unless one is given. */
  start<Result>(type: string, args: readonly unknown[], workflowId?: string): Promise<Parent<Result>>;
  /** SIGKILL; nothing serves the parents' workflows until `startWorker`. */
  killWorker(): Promise<void>;
  startWorker(): Promise<void>;
  /** What the business wrote, one entry a write. */
  writes(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export type Parent<Result> = Omit<WorkflowHandle, 'result'> & { result(): Promise<Result> };

const TASK_QUEUE = 'business';
const PROGRAM = fileURLToPath(new URL('parent-process.mjs', import.meta.url));
const WORKFLOWS = fileURLToPath(new URL('parent-workflows.ts', import.meta.url));

let count = 0;

export async function startParents(world: World): Promise<Parents> {
  const { address } = inject('shared').temporal;
  const { namespace } = world.temporal.options;
  const database = await createDatabase(inject('shared').postgresUrl, { empty: true });
  const tables = database.connect();
  await tables.query(BUSINESS_TABLES);
  const { code } = await bundleWorkflowCode({ workflowsPath: WORKFLOWS, logger: new DefaultLogger('WARN') });
  const codePath = join(world.folder, 'parents-bundle.js');
  await writeFile(codePath, code);

  const connection = await NativeConnection.connect({ address });
  const activities = businessActivities(tables);
  const worker = await Worker.create({ connection, namespace, taskQueue: TASK_QUEUE, activities: { ...activities } });
  const running = worker.run();
  let process: ChildProcess | undefined;
  const startWorker = async (): Promise<void> => {
    const options = JSON.stringify({ address, namespace, taskQueue: TASK_QUEUE, codePath });
    process = fork(PROGRAM, [options], { execArgv: [] });
    await once(process, 'message');
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ended = process;
    process = undefined;
    if (ended === undefined) return;
    ended.kill(signal);
    await once(ended, 'exit');
  };
  await startWorker();
  return {
    tables,
    async start<Result>(type: string, args: readonly unknown[], workflowId?: string) {
      count += 1;
      const id = workflowId ?? `parent-${String(count)}`;
      return (await world.temporal.workflow.start(type, {
        taskQueue: TASK_QUEUE,
        workflowId: id,
        args: [...args],
      })) as Parent<Result>;
    },
    killWorker: () => end('SIGKILL'),
    startWorker,
    writes: async () =>
      (await tables.query<{ what: string }>('select what from business.write order by seq')).rows.map(
        ({ what }) => what,
      ),
    async close() {
      await end('SIGTERM');
      worker.shutdown();
      await running;
      await connection.close();
      await database.close();
    },
  };
}
