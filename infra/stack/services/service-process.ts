import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isErrno, signalProcess } from '../processes.js';
import { settledWithin } from './readiness.js';
import { describeExit, ServiceError, type Exit, type Service, type ServiceOptions } from './service.js';

const LOG_TAIL_BYTES = 4_096;
const LOG_TAIL_LINES = 20;
const STOP_WITHIN_MS = 10_000;

export interface ServiceProgram {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Another user to run as, for programs that refuse to be root. */
  readonly identity?: { readonly uid: number; readonly gid: number };
  /** Opens an IPC channel, over which the program says that it is ready and sees when this process is gone. */
  readonly ipc?: boolean;
  /** The signal for an orderly end; the default is SIGTERM. */
  readonly stopSignal?: NodeJS.Signals;
  /** The signal for the fastest end that leaves nothing behind in the system; the default is SIGKILL. */
  readonly abortSignal?: NodeJS.Signals;
  /** How long an orderly end may take before SIGKILL; the default is 10 s. */
  readonly stopWithinMs?: number;
}

/**
 * A program in a process group of its own, so that Ctrl-C in a terminal reaches only the stack, which then ends
 * its services in order. Output goes straight to `<folder>/<name>.log`: a pipe would break when this process
 * dies, and a service must outlive that long enough to clean up.
 */
export class ServiceProcess implements Service {
  readonly name: string;
  readonly pid: number;
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;
  readonly #program: ServiceProgram;
  readonly #logFile: string;
  #lastLog: string | undefined;
  #stopping: Promise<void> | undefined;

  static async start(program: ServiceProgram, options: ServiceOptions): Promise<ServiceProcess> {
    const logFile = join(options.folder, `${program.name}.log`);
    const child = spawnDetached(program, logFile, options);
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => {
        reject(new ServiceError(program.name, `cannot run ${program.command}`, '', { cause: error }));
      });
    });
    return new ServiceProcess(program, child, logFile, options);
  }

  private constructor(program: ServiceProgram, child: ChildProcess, logFile: string, { guardian }: ServiceOptions) {
    if (child.pid === undefined) throw new ServiceError(program.name, 'has no process id', '');
    this.name = program.name;
    this.pid = child.pid;
    this.#child = child;
    this.#program = program;
    this.#logFile = logFile;
    guardian?.watch({ pid: this.pid, signal: program.abortSignal ?? 'SIGKILL', group: true });
    this.exited = exitOf(child).then((exit) => {
      signalProcess(-this.pid, 'SIGKILL'); // What the program started and did not end itself.
      guardian?.release(this.pid);
      this.#lastLog = tailOf(this.#logFile); // The folder may be gone when somebody asks.
      return exit;
    });
  }

  logTail(): string {
    return this.#lastLog ?? tailOf(this.#logFile);
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** The first IPC message for which `pick` gives a value. Rejects when the process ends or the time is over. */
  message<T>(pick: (message: unknown) => T | undefined, withinMs: number): Promise<T> {
    return this.whileAlive('did not become ready', settledWithin(withinMs, nextMessage(this.#child, pick)));
  }

  /** Settles as `work` does, but rejects as soon as the process ends; errors carry the log's tail. */
  async whileAlive<T>(failure: string, work: Promise<T>): Promise<T> {
    const death = this.exited.then((exit): never => {
      throw new ServiceError(this.name, describeExit(exit), this.logTail());
    });
    death.catch(() => undefined); // Nobody waits for it once `work` is settled.
    work.catch(() => undefined);
    try {
      return await Promise.race([work, death]);
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new ServiceError(this.name, `${failure}: ${reason}`, this.logTail(), { cause: error });
    }
  }

  async #stop(): Promise<void> {
    this.#child.kill(this.#program.stopSignal ?? 'SIGTERM');
    const timer = setTimeout(() => {
      signalProcess(-this.pid, 'SIGKILL');
    }, this.#program.stopWithinMs ?? STOP_WITHIN_MS);
    await this.exited;
    clearTimeout(timer);
  }
}

/** Runs a program to its end, which must be exit code 0. */
export async function runToEnd(program: ServiceProgram, options: ServiceOptions): Promise<void> {
  const running = await ServiceProcess.start(program, options);
  const exit = await running.exited;
  if (exit.code !== 0) throw new ServiceError(program.name, describeExit(exit), running.logTail());
}

function spawnDetached(program: ServiceProgram, logFile: string, { folder, guardian }: ServiceOptions): ChildProcess {
  const log = openSync(logFile, 'w', 0o600);
  try {
    return spawn(program.command, program.args, {
      cwd: folder,
      env: { ...(program.env ?? process.env), ...guardian?.environment },
      stdio: ['ignore', log, log, program.ipc === true ? 'ipc' : 'ignore'],
      detached: true,
      ...program.identity,
    });
  } finally {
    closeSync(log);
  }
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      resolve({ code, signal });
    });
  });
}

function nextMessage<T>(child: ChildProcess, pick: (message: unknown) => T | undefined): Promise<T> {
  return new Promise((resolve) => {
    child.on('message', function listen(message) {
      const picked = pick(message);
      if (picked === undefined) return;
      child.off('message', listen);
      resolve(picked);
    });
  });
}

function tailOf(logFile: string): string {
  try {
    const text = readFileSync(logFile).subarray(-LOG_TAIL_BYTES).toString('utf8').trimEnd();
    return text.split('\n').slice(-LOG_TAIL_LINES).join('\n');
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return '';
    throw error;
  }
}
