import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { TOPOLOGIES, writeConfiguration, type Topology } from './configuration.js';
import { StackGuardian } from './guardian.js';
import { ownFolder, PARTS, STAGE_OF, startPart, type Part, type PartContext, type PartServices } from './parts.js';
import { preparePrograms, thisMachine } from './programs/index.js';
import { builtProgram } from './project.js';
import { RunningServices } from './running-services.js';
import { runToEnd } from './services/service-process.js';
import type { Service, ServiceError, WatchedProcess } from './services/service.js';
import { startWorker, WORKER_NAMES } from './services/workers.js';

export interface StackOptions<P extends Part = Part> {
  /** The parts to start. The default is all of them, with the workers on top. */
  readonly parts?: readonly P[];
  readonly topology?: Topology;
  /** A folder for the data of Postgres, Temporal and the object store; without it they go with the stack. */
  readonly data?: string;
  /** Temporal namespaces beside `default`. */
  readonly namespaces?: readonly string[];
  /** Gets a line for every step. */
  readonly report?: (line: string) => void;
  /** Gives the start up; what was started so far is ended. */
  readonly signal?: AbortSignal;
}

export interface Stack<P extends Part = Part> {
  readonly services: Pick<PartServices, P>;
  /** Path of the configuration for workers and command line; only when every part was started. */
  readonly configuration: string | undefined;
  readonly folder: string;
  /** Resolves when a service ends by itself; the stack is of no use any more, and the caller stops it. */
  readonly failure: Promise<ServiceError>;
  /** Also ends this process when the stack's process dies. */
  watch(process: WatchedProcess): void;
  /** Stops the services in reverse order and removes the stack's folder. */
  stop(): Promise<void>;
}

/**
 * Starts the local stack on loopback: guardian, parts, configuration, migrations, workers. Any number of stacks can
 * run side by side.
 *
 * @throws ProgramError when a program cannot be had, ServiceError with the log's tail when a service does not start,
 * and the signal's reason when it is aborted. Nothing is left running then.
 */
export async function startStack<P extends Part = Part>(options: StackOptions<P> = {}): Promise<Stack<P>> {
  const { report = () => undefined, topology = 'local' } = options;
  const guardian = await StackGuardian.start();
  const running = new RunningServices(report);
  running.watch(guardian);
  const folder = mkdtempSync(join(tmpdir(), 'darkroom-stack-'));
  guardian.removeAtEnd(folder);
  chmodSync(folder, 0o711); // As root, Postgres runs as another user and must pass through.
  const start = async (): Promise<Pick<Stack<P>, 'services' | 'configuration'>> => {
    const context = partContext(options, folder, guardian);
    const services = await startParts(options.parts ?? PARTS, context, running);
    const configuration = isComplete(services) ? await startWorkers(services, topology, context, running) : undefined;
    return { services: services as Pick<PartServices, P>, configuration };
  };
  try {
    const started = await Promise.race([start(), thrown(running.failure), thrown(abortOf(options.signal))]);
    return {
      ...started,
      folder,
      failure: running.failure,
      watch: (process) => {
        guardian.watch(process);
      },
      stop: once(async () => {
        await running.stop();
        await guardian.end();
      }),
    };
  } catch (error) {
    await guardian.end(); // Ends everything at once, also what is just starting.
    throw error;
  }
}

function partContext(options: StackOptions, folder: string, guardian: StackGuardian): PartContext {
  const { report = () => undefined } = options;
  return {
    folder,
    data: options.data === undefined ? undefined : resolve(options.data),
    guardian,
    report,
    programs: once(() => preparePrograms(thisMachine(report))),
    sessions: TOPOLOGIES[options.topology ?? 'local'].sessions,
    namespaces: options.namespaces ?? [],
  };
}

async function startParts(
  parts: readonly Part[],
  context: PartContext,
  running: RunningServices,
): Promise<Partial<PartServices>> {
  const started = await Promise.all(
    parts.map(async (part) => {
      const starting: Promise<Service> = startPart[part](context);
      return [part, await running.add(STAGE_OF[part], starting)] as const;
    }),
  );
  return Object.fromEntries(started);
}

function isComplete(services: Partial<PartServices>): services is PartServices {
  return PARTS.every((part) => services[part] !== undefined);
}

/** Returns the path of the configuration that the workers were given. */
async function startWorkers(
  services: PartServices,
  topology: Topology,
  context: PartContext,
  running: RunningServices,
): Promise<string> {
  const configuration = writeConfiguration(context.folder, services, topology);
  context.report('migrating the database');
  await runToEnd(
    {
      name: 'migrate',
      command: process.execPath,
      args: [builtProgram('workers/cli/main.js'), 'migrate'],
      env: { ...process.env, DARKROOM_CONFIG: configuration },
    },
    ownFolder('migrate', context),
  );
  await Promise.all(
    WORKER_NAMES.map((name) =>
      running.add('workers', startWorker(name, { ...ownFolder(name, context), configuration })),
    ),
  );
  return configuration;
}

async function thrown(failure: Promise<Error>): Promise<never> {
  throw await failure;
}

function abortOf(signal: AbortSignal | undefined): Promise<Error> {
  return new Promise((resolve) => {
    const abort = (): void => {
      resolve(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
    };
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort, { once: true });
  });
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= work());
}
