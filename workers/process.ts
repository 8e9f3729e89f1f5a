import { DefaultLogger, Runtime } from '@temporalio/worker';
import { pino, type Logger } from 'pino';
import { ConfigurationError, readConfiguration, type Configuration } from './configuration/index.js';

/** A long-running part of a process. `stop` drains it; it is called once. */
export interface Service {
  /** Told to whoever started the process, once it serves. */
  readonly ready: Readonly<Record<string, unknown>>;
  /** Ends by itself only when something broke. */
  readonly running: Promise<void>;
  stop(): Promise<void>;
}

const EXIT_USAGE = 2;
const EXIT_FAILED = 1;

/**
 * The frame of every worker process, and the only place that knows the environment, signals and exit codes: SIGTERM and
 * SIGINT drain, a second one ends at once, and so does the end of the process that started it (`DARKROOM_PARENT=ipc`).
 */
export async function runProcess(
  name: string,
  start: (configuration: Configuration, log: Logger) => Promise<Service>,
): Promise<void> {
  const configuration = configurationOrExit();
  const log = pino({ name, level: configuration.log.level }, pino.destination(2));
  installRuntime(log);
  let service: Service | undefined;
  const stopping = new Promise<void>((resolve) => {
    let asked = false;
    const stop = (signal: string): void => {
      if (asked) process.exit(128 + (signal === 'SIGINT' ? 2 : 15));
      asked = true;
      log.info({ signal }, 'stopping');
      resolve();
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
    if (process.env['DARKROOM_PARENT'] === 'ipc') process.on('disconnect', () => process.exit(EXIT_FAILED));
  });
  try {
    service = await start(configuration, log);
    log.info(service.ready, 'ready');
    process.send?.({ event: 'ready', ...service.ready });
    await Promise.race([stopping, service.running]);
    await service.stop();
    process.exit(0);
  } catch (error) {
    log.fatal({ err: error }, 'ended');
    process.exit(EXIT_FAILED);
  }
}

function configurationOrExit(): Configuration {
  try {
    return readConfiguration(process.env);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(EXIT_USAGE);
  }
}

/** One runtime a process; signals are ours, so the SDK must not shut workers down by itself. */
function installRuntime(log: Logger): void {
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      log[level === 'ERROR' ? 'error' : 'warn']({ ...meta }, message);
    }),
  });
}

/** Runs `step` every `intervalMs`, one at a time, until the signal ends it. A failure is logged, and the next run makes up for it. */
export async function every(
  intervalMs: number,
  signal: AbortSignal,
  log: Logger,
  what: string,
  step: () => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    const startedAt = performance.now();
    try {
      await step();
    } catch (error) {
      log.error({ err: error }, `${what} failed`);
    }
    await pause(intervalMs - (performance.now() - startedAt), signal);
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(end, Math.max(0, ms));
    signal.addEventListener('abort', end, { once: true });
    function end(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    }
  });
}
