import { startOwnProgram } from './own-program.js';
import type { Service, ServiceOptions } from './service.js';

const READY_WITHIN_MS = 60_000;
/** A render worker lets the sessions that it holds come to an end, within its own bound. */
const STOP_WITHIN_MS = 20_000;

const WORKERS = {
  'workflow-worker': 'workers/workflow.js',
  'capacity-worker': 'workers/capacity.js',
  'render-worker': 'workers/render.js',
} as const;

export type WorkerName = keyof typeof WORKERS;

export const WORKER_NAMES = Object.keys(WORKERS) as readonly WorkerName[];

export interface WorkerOptions extends ServiceOptions {
  /** Path of the configuration file. */
  readonly configuration: string;
}

/** One worker process. It says itself when it polls; there is no address to ask. */
export function startWorker(name: WorkerName, options: WorkerOptions): Promise<Service> {
  return startOwnProgram(
    {
      name,
      path: WORKERS[name],
      env: { DARKROOM_CONFIG: options.configuration, DARKROOM_PARENT: 'ipc' },
      readyWithinMs: READY_WITHIN_MS,
      stopWithinMs: STOP_WITHIN_MS,
    },
    options,
    () => Promise.resolve({}),
  );
}
