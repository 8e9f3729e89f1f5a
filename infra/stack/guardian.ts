import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { STACK_ID_VARIABLE, type GuardianMessage } from './guardian-message.js';
import { processEntry, signalProcess } from './processes.js';
import { builtProgram } from './project.js';
import type { Exit, Guardian, WatchedProcess } from './services/service.js';

/**
 * A small process beside the stack that holds the other end of a pipe. However the stack's process ends, SIGKILL
 * included, the pipe closes, and the guardian ends every process it was told about and removes the stack's folder.
 * An orderly end closes the pipe as well: there is one way to clean up, and it is used every time.
 */
export class StackGuardian implements Guardian {
  readonly name = 'guardian';
  readonly pid: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;
  readonly #pipe: NodeJS.WritableStream;
  #ended = false;

  static async start(): Promise<StackGuardian> {
    const stackId = randomBytes(12).toString('hex');
    const child = spawn(process.execPath, [builtProgram('infra/stack/guardian-main.js'), stackId], {
      stdio: ['pipe', 'ignore', 'inherit'],
      detached: true, // Out of reach of Ctrl-C in the terminal.
    });
    await new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    child.unref(); // It must not keep a process alive that has nothing else to do.
    return new StackGuardian(child, stackId);
  }

  private constructor(child: ChildProcess, stackId: string) {
    if (child.pid === undefined || child.stdin === null) throw new Error('the guardian has no pipe');
    this.pid = child.pid;
    this.environment = { [STACK_ID_VARIABLE]: stackId };
    this.#child = child;
    this.#pipe = child.stdin;
    this.#pipe.on('error', () => undefined); // A guardian that died is seen by `exited`.
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        resolve({ code, signal });
      });
    });
  }

  /** It writes to standard error. */
  logTail(): string {
    return '';
  }

  watch(watched: WatchedProcess): void {
    if (this.#ended) {
      signalProcess(watched.group ? -watched.pid : watched.pid, 'SIGKILL'); // It was starting during the end.
      return;
    }
    const startTime = processEntry(watched.pid)?.startTime;
    this.#tell({ tell: 'watch', ...watched, ...(startTime === undefined ? {} : { startTime }) });
  }

  release(pid: number): void {
    if (!this.#ended) this.#tell({ tell: 'release', pid });
  }

  /** Removes the folder and what is in it, at the very end. */
  removeAtEnd(folder: string): void {
    this.#tell({ tell: 'removeFolder', folder });
  }

  /** Ends everything that still runs, removes the folders, and resolves when the guardian itself is gone. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#child.ref();
    this.#pipe.end();
    await this.exited;
  }

  #tell(message: GuardianMessage): void {
    this.#pipe.write(`${JSON.stringify(message)}\n`);
  }
}
