import { builtProgram } from '../project.js';
import { ServiceProcess } from './service-process.js';
import { ServiceError, type Service, type ServiceOptions } from './service.js';

export interface OwnProgram {
  readonly name: string;
  /** Below `dist/`. */
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
  readonly readyWithinMs: number;
  readonly stopWithinMs?: number;
}

/** What our own programs send over IPC once they serve: `{ event: 'ready', port?, url? }`. */
interface ReadyMessage {
  readonly port?: number;
  readonly url?: string;
}

/**
 * Starts one of our own programs and waits until it says that it is ready. `complete` then asks it for real and
 * gives the service's addresses; whatever fails, the program is stopped.
 */
export async function startOwnProgram<Addresses extends object>(
  program: OwnProgram,
  options: ServiceOptions,
  complete: (ready: ReadyMessage) => Promise<Addresses>,
): Promise<Service & Addresses> {
  const running = await ServiceProcess.start(
    {
      name: program.name,
      command: process.execPath,
      args: [builtProgram(program.path)],
      env: { ...process.env, ...program.env },
      ipc: true,
      ...(program.stopWithinMs === undefined ? {} : { stopWithinMs: program.stopWithinMs }),
    },
    options,
  );
  try {
    const ready = await running.message(readyMessage, program.readyWithinMs);
    return Object.assign(running, await running.whileAlive('does not answer', complete(ready)));
  } catch (error) {
    await running.stop();
    throw error;
  }
}

/** An address that the program had to name. */
export function named<T>(service: string, what: string, value: T | undefined): T {
  if (value === undefined) throw new ServiceError(service, `did not say its ${what}`, '');
  return value;
}

function readyMessage(message: unknown): ReadyMessage | undefined {
  if (typeof message !== 'object' || message === null) return undefined;
  if (!('event' in message) || message.event !== 'ready') return undefined;
  return {
    ...('port' in message && typeof message.port === 'number' ? { port: message.port } : {}),
    ...('url' in message && typeof message.url === 'string' ? { url: message.url } : {}),
  };
}
