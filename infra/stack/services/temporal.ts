import { join } from 'node:path';
import { SEARCH_ATTRIBUTES } from '../../../workflows/contract/index.js';
import { onFreePorts } from './free-ports.js';
import { expectOk, untilAnswered } from './readiness.js';
import { ServiceProcess } from './service-process.js';
import type { Service, ServiceOptions } from './service.js';

const READY_WITHIN_MS = 40_000;

/** Without these the dev server polls 20 times a second, so that every step of a workflow waits 50 ms. */
const FAST_QUEUES = ['history.transferProcessorMaxPollRPS=2000', 'history.timerProcessorMaxPollRPS=2000'];

export interface TemporalOptions extends ServiceOptions {
  /** Path of the `temporal` program. */
  readonly program: string;
  /** Namespaces to make beside `default`. */
  readonly namespaces?: readonly string[];
  /** Keeps what was acknowledged over a crash of the machine, at the price of speed. */
  readonly durable?: boolean;
}

export interface TemporalService extends Service {
  /** host:port of the gRPC front end. */
  readonly address: string;
  readonly uiUrl: string;
}

/** Temporal's dev server on loopback, with our search attributes, on an SQLite file in the service's folder. */
export function startTemporal(options: TemporalOptions): Promise<TemporalService> {
  return onFreePorts(2, async ([port, uiPort]) => {
    const address = `127.0.0.1:${String(port)}`;
    const uiUrl = `http://127.0.0.1:${String(uiPort)}`;
    const server = await ServiceProcess.start(
      {
        name: 'temporal',
        command: options.program,
        args: serverArguments(options, String(port), String(uiPort)),
        stopWithinMs: 5_000,
      },
      options,
    );
    try {
      await server.whileAlive(
        'is not ready',
        untilAnswered(READY_WITHIN_MS, () => ask(address, options)),
      );
      await server.whileAlive(
        'has no user interface',
        untilAnswered(READY_WITHIN_MS, () => expectOk(uiUrl)),
      );
    } catch (error) {
      await server.stop();
      throw error;
    }
    return Object.assign(server, { address, uiUrl });
  });
}

function serverArguments(options: TemporalOptions, port: string, uiPort: string): string[] {
  const synchronous = options.durable === true ? 'NORMAL' : 'OFF';
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', port, '--ui-ip', '127.0.0.1', '--ui-port', uiPort],
    ...['--db-filename', join(options.folder, 'temporal.sqlite'), '--log-level', 'error'],
    ...['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', `synchronous=${synchronous}`],
    ...FAST_QUEUES.flatMap((setting) => ['--dynamic-config-value', setting]),
    ...Object.values(SEARCH_ATTRIBUTES).flatMap((name) => ['--search-attribute', `${name}=Keyword`]),
    ...(options.namespaces ?? []).flatMap((namespace) => ['--namespace', namespace]),
  ];
}

/** The server takes requests before its namespaces are there, so it is asked for what jobs need. */
async function ask(address: string, { namespaces = [] }: TemporalOptions): Promise<void> {
  const { Connection } = await import('@temporalio/client'); // Half a second of loading, while the server starts.
  const connection = await Connection.connect({ address, connectTimeout: '2s' });
  try {
    for (const namespace of ['default', ...namespaces]) {
      const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
      const missing = Object.values(SEARCH_ATTRIBUTES).filter((name) => !(name in customAttributes));
      if (missing.length > 0) throw new Error(`namespace ${namespace} lacks ${missing.join(', ')}`);
    }
  } finally {
    await connection.close();
  }
}
