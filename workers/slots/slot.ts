import { fork, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Deadline, JobFailure, NodeRefusal, NeverOpened } from '../../activities/index.js';
import type { FromSlot, Operation, Operations, SlotFailure, ToSlot } from './protocol.js';

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

/** One supervised child process: it holds Playwright and at most one session, and is replaced when it dies. */
export class Slot {
  readonly #child: ChildProcess;
  readonly #calls = new Map<number, Call>();
  readonly #pings: NodeJS.Timeout;
  /** The process has ended, and what it left in its temporary folder is gone. */
  readonly exited: Promise<void>;
  #next = 1;
  #ended = false;
  #answeredAt = performance.now();

  private constructor(child: ChildProcess, folder: string) {
    this.#child = child;
    child.on('message', (message: FromSlot) => {
      this.#answeredAt = performance.now();
      this.#receive(message);
    });
    const exit = new Promise<void>((resolve) => {
      child.once('exit', () => {
        resolve();
      });
    });
    this.exited = exit.then(async () => {
      this.#end();
      await remove(folder);
    });
    // A write to a slot that just died: its exit is what is reported.
    child.on('error', () => undefined);
    this.#pings = setInterval(() => {
      this.#send({ type: 'ping' });
    }, PING_MS);
  }

  /** Forks the process and waits until it is ready. `program` is the compiled entry. */
  static async start(program: URL, environment: NodeJS.ProcessEnv): Promise<Slot> {
    // Playwright keeps files there that only an orderly end removes.
    const folder = await mkdtemp(join(tmpdir(), 'darkroom-slot-'));
    const child = fork(program, [folder], {
      env: { ...environment, TMPDIR: folder },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      detached: true,
    });
    const slot = new Slot(child, folder);
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
    if (this.#ended) throw slotEnded();
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
    if (message.type === 'answer') this.#calls.get(message.id)?.resolve(message.output);
    if (message.type === 'failed') this.#calls.get(message.id)?.reject(errorOf(message.failure));
  }

  #end(): void {
    this.#ended = true;
    clearInterval(this.#pings);
    for (const call of this.#calls.values()) call.reject(slotEnded());
    this.#calls.clear();
  }
}

/** The worker's own clock decides what an aborted call failed with; the slot knows what the page looked like then. */
function stopped(reason: unknown, error: unknown): unknown {
  if (!(reason instanceof JobFailure && error instanceof JobFailure && error.evidence)) return reason;
  return new JobFailure(reason.code, reason.detail, { evidence: error.evidence });
}

/** Nothing depends on it; what stays is told on the worker's standard error. */
async function remove(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    process.emitWarning(error as Error);
  }
}

function slotEnded(): JobFailure {
  return new JobFailure('worker_lost', 'The slot process ended.');
}

function errorOf(failure: SlotFailure): Error {
  switch (failure.type) {
    case 'failure':
      return new JobFailure(failure.code, failure.detail, { evidence: failure.evidence });
    case 'refusal':
      return new NodeRefusal(failure.status);
    case 'never_opened':
      return new NeverOpened(failure.code, failure.detail);
    case 'defect':
      return Object.assign(new Error(failure.message), { name: failure.name });
  }
}
