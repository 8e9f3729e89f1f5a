import { fork, type ChildProcess } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { Deadline, JobFailure, NodeRefusal, NeverOpened } from '../../activities/index.js';
import type { FromSlot, Operation, Operations, SlotFailure, ToSlot } from './protocol.js';

export interface SlotSettings {
  /** The compiled entry. */
  readonly program: URL;
  readonly environment: NodeJS.ProcessEnv;
  /** For temporary files; made here, and removed when the process has ended. */
  readonly folder: string;
  /** Resident memory beyond which the process is killed, in MiB. */
  readonly memoryMb: number;
}

interface Call {
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * After an abort was asked for, a slot that still works on the call is killed. The slot's own timer is later by as much, so
 * that the worker's clock decides what a late call failed with.
 */
const GRACE_MS = 2_000;
const PING_MS = 1_000;
/** A slot that did not answer for this long counts as hung: its activity stops heartbeating. */
const SILENT_MS = 10_000;
const START_MS = 20_000;
/** Of the memory limit: pictures are buffers outside of V8's heap, so the heap alone must stay below it. */
const HEAP_SHARE = 0.75;
const MIB = 1024 * 1024;

/** One supervised child process: it holds Playwright and at most one session, and is replaced when it dies. */
export class Slot {
  readonly #child: ChildProcess;
  readonly #memoryMb: number;
  readonly #calls = new Map<number, Call>();
  readonly #pings: NodeJS.Timeout;
  /** The process has ended, and what it left in its temporary folder is gone. */
  readonly exited: Promise<void>;
  #next = 1;
  /** Why it was killed, or how it ended. */
  #ending: string | undefined;
  #answeredAt = performance.now();

  private constructor(child: ChildProcess, { folder, memoryMb }: SlotSettings) {
    this.#child = child;
    this.#memoryMb = memoryMb;
    child.on('message', (message: FromSlot) => {
      this.#answeredAt = performance.now();
      this.#receive(message);
    });
    const exit = new Promise<void>((resolve) => {
      child.once('exit', (code, signal) => {
        this.#end(signal === null ? `ended with exit code ${String(code)}` : `was ended by ${signal}`);
        resolve();
      });
    });
    this.exited = exit.then(() => remove(folder));
    // A write to a slot that just died: its exit is what is reported.
    child.on('error', () => undefined);
    this.#pings = setInterval(() => {
      this.#send({ type: 'ping' });
    }, PING_MS);
  }

  /** Forks the process and waits until it is ready. */
  static async start(settings: SlotSettings): Promise<Slot> {
    const { program, environment, folder, memoryMb } = settings;
    // Playwright keeps files there that only an orderly end removes.
    await mkdir(folder, { recursive: true });
    const child = fork(program, [folder], {
      env: { ...environment, TMPDIR: folder },
      execArgv: [...process.execArgv, `--max-old-space-size=${String(Math.floor(memoryMb * HEAP_SHARE))}`],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      detached: true,
    });
    const slot = new Slot(child, settings);
    const deadline = Deadline.after(START_MS, 'worker_lost');
    try {
      await deadline.race(
        new Promise<void>((resolve, reject) => {
          // A ping may be answered before: the slot listens while it still loads.
          child.on('message', (message: FromSlot) => {
            if (message.type === 'ready') resolve();
          });
          child.once('exit', () => {
            reject(new JobFailure('worker_lost', 'A slot ended while it started.'));
          });
        }),
      );
      return slot;
    } catch (error) {
      slot.kill();
      throw error;
    } finally {
      deadline.stop();
    }
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Killed or dead: it takes no more calls. */
  get isEnding(): boolean {
    return this.#ending !== undefined;
  }

  get answers(): boolean {
    return performance.now() - this.#answeredAt < SILENT_MS;
  }

  /**
   * Runs one operation under the deadline. When that ends, the slot is asked to stop; what does not stop within the
   * grace is killed, so that the call always ends.
   */
  async call<K extends Operation>(
    deadline: Deadline,
    op: K,
    input: Operations[K]['input'],
  ): Promise<Operations[K]['output']> {
    if (this.#ending !== undefined) throw slotEnded(this.#ending);
    const id = this.#next++;
    let grace: NodeJS.Timeout | undefined;
    const abort = (): void => {
      const reason: unknown = deadline.signal.reason;
      this.#send({ type: 'abort', id, code: reason instanceof JobFailure ? reason.code : 'cancelled' });
      grace = setTimeout(() => {
        this.kill();
      }, GRACE_MS);
    };
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#calls.set(id, { resolve, reject });
      this.#send({ type: 'call', id, ms: deadline.remainingMs + GRACE_MS, op, input } as ToSlot);
    });
    if (deadline.signal.aborted) abort();
    else deadline.signal.addEventListener('abort', abort, { once: true });
    try {
      return (await answer) as Operations[K]['output'];
    } catch (error) {
      throw deadline.signal.aborted ? stopped(deadline.signal.reason, error) : error;
    } finally {
      clearTimeout(grace);
      deadline.signal.removeEventListener('abort', abort);
      this.#calls.delete(id);
    }
  }

  /** SIGKILL of the slot's process group. */
  kill(): void {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  #send(message: ToSlot): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  #receive(message: FromSlot): void {
    if (message.type === 'pong') this.#limit(message.rssBytes);
    if (message.type === 'answer') this.#calls.get(message.id)?.resolve(message.output);
    if (message.type === 'failed') this.#calls.get(message.id)?.reject(errorOf(message.failure));
  }

  #limit(rssBytes: number): void {
    const usedMb = Math.round(rssBytes / MIB);
    if (usedMb <= this.#memoryMb) return;
    this.#ending ??= `held ${String(usedMb)} MiB, more than render.slotMemoryMb, ${String(this.#memoryMb)} MiB, and was killed`;
    this.kill();
  }

  #end(how: string): void {
    // What V8 does at the limit of its heap; it has written so to the worker's standard error.
    const isHeap = how.endsWith('SIGABRT');
    this.#ending ??= isHeap ? `${how}, most likely for want of memory: see render.slotMemoryMb` : how;
    clearInterval(this.#pings);
    for (const call of this.#calls.values()) call.reject(slotEnded(this.#ending));
    this.#calls.clear();
  }
}

/** The worker's own clock decides what an aborted call failed with; the slot knows what the page looked like then. */
function stopped(reason: unknown, error: unknown): unknown {
  if (!(reason instanceof JobFailure && error instanceof JobFailure)) return reason;
  const { evidence, steps } = error;
  return new JobFailure(reason.code, reason.detail, { evidence, steps });
}

/** Nothing depends on it; what stays is told on the worker's standard error. */
async function remove(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    process.emitWarning(error as Error);
  }
}

function slotEnded(how: string): JobFailure {
  return new JobFailure('worker_lost', `The slot process ${how}.`);
}

function errorOf(failure: SlotFailure): Error {
  switch (failure.type) {
    case 'failure':
      return new JobFailure(failure.code, failure.detail, { evidence: failure.evidence, steps: failure.steps });
    case 'refusal':
      return new NodeRefusal(failure.status);
    case 'never_opened':
      return new NeverOpened(failure.code, failure.detail);
    case 'defect':
      return Object.assign(new Error(failure.message), { name: failure.name });
  }
}
