import type { ErrorCode } from '../workflows/contract/index.js';
import { JobFailure } from './failure.js';

/**
 * One bound over a piece of work, passed first to everything that waits on a browser, a bucket or a database. It ends by
 * time (with its own code) or because its parent or the given signal ended. This is the one place that races promises.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #endsAt: number;
  readonly #stop: () => void;

  private constructor(ms: number, expired: JobFailure, parent: AbortSignal | undefined) {
    this.#endsAt = performance.now() + ms;
    const timer = setTimeout(() => this.#controller.abort(expired), Math.max(0, ms));
    const follow = (): void => this.#controller.abort(parent?.reason);
    this.#stop = () => {
      clearTimeout(timer);
      parent?.removeEventListener('abort', follow);
    };
    if (parent?.aborted) follow();
    else parent?.addEventListener('abort', follow, { once: true });
    this.signal.addEventListener('abort', this.#stop, { once: true });
  }

  /** `code` is what the work fails with when `ms` have passed. */
  static after(ms: number, code: ErrorCode, signal?: AbortSignal): Deadline {
    return new Deadline(ms, new JobFailure(code, `Bound: ${String(Math.round(ms))} ms.`), signal);
  }

  /** A tighter bound inside this one; the outer bound keeps its own code. */
  within(ms: number, code: ErrorCode): Deadline {
    return Deadline.after(Math.max(0, ms), code, this.signal);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get remainingMs(): number {
    return Math.max(0, this.#endsAt - performance.now());
  }

  /** Gives the work's outcome, or fails as soon as the deadline ends. The work itself is to listen to `signal` if it can. */
  async race<T>(work: Promise<T>): Promise<T> {
    return await new Promise<T>((resolve, reject) => {
      const end = (): void => {
        reject(this.#reason());
      };
      if (this.signal.aborted) end();
      this.signal.addEventListener('abort', end, { once: true });
      work.then(resolve, reject).finally(() => {
        this.signal.removeEventListener('abort', end);
      });
    });
  }

  /**
   * Runs a step that may be cut short: `undefined` when `ms` have passed, so that the caller can go on without it.
   * Fails when the deadline itself ends, or the step does.
   */
  async attempt<T>(ms: number, step: (bound: Deadline) => Promise<T>): Promise<T | undefined> {
    const bound = this.within(ms, 'attempt_timeout');
    try {
      return await bound.race(step(bound));
    } catch (error) {
      if (this.signal.aborted) throw this.#reason();
      if (bound.signal.aborted) return undefined;
      throw error;
    } finally {
      bound.stop();
    }
  }

  /** The same bound, that also ends with `signal`, for that one's reason. */
  joined(signal: AbortSignal): Deadline {
    return Deadline.after(this.remainingMs, 'attempt_timeout', AbortSignal.any([this.signal, signal]));
  }

  /** Lets go of the timer; the work has ended. */
  stop(): void {
    this.#stop();
  }

  #reason(): Error {
    const reason: unknown = this.signal.reason;
    return reason instanceof Error ? reason : new JobFailure('cancelled');
  }
}
