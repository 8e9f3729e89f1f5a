import { availableParallelism } from 'node:os';
import type { Logger } from 'pino';
import type { ChromiumProcess } from './chromium/process.js';
import { NodeError } from './errors.js';

export type WarmPoolOptions = {
  /** Processes kept ready beside those that serve sessions. */
  target: number;
  start: (signal: AbortSignal) => Promise<ChromiumProcess>;
  log: Logger;
};

type Waiter = { serve(browser: ChromiumProcess): void; refuse(error: NodeError): void };

// More starts than cores at once only make each of them slower.
const STARTS_AT_ONCE = Math.max(2, availableParallelism());
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 10_000;
/**
 * A start costs about as much CPU as a small capture, and would slow the very session that took the browser before. So a
 * replacement waits this long, unless none is left.
 */
export const REPLACE_AFTER_MS = 1_000;
/** From here on the host is taken to be unable to start browsers (no memory, no process ids, broken binary). */
const FAILURES_UNTIL_BROKEN = 3;

/** Started browsers that have answered once and wait for a session. Each is handed out at most once. */
export class WarmPool {
  readonly #options: WarmPoolOptions;
  readonly #idle: ChromiumProcess[] = [];
  readonly #waiters = new Set<Waiter>();
  readonly #starts = new Set<Promise<void>>();
  readonly #burials = new Set<Promise<void>>();
  #probing = 0;
  #failures = 0;
  #lastFailure = '';
  #retryTimer: NodeJS.Timeout | undefined;
  #replaceTimer: NodeJS.Timeout | undefined;
  readonly #closing = new AbortController();

  constructor(options: WarmPoolOptions) {
    this.#options = options;
  }

  /** Browsers that wait, those being probed included. */
  get idle(): number {
    return this.#idle.length + this.#probing;
  }

  get starting(): number {
    return this.#starts.size;
  }

  /** Why browsers cannot be started, when that is so. */
  get broken(): string | undefined {
    return this.#failures >= FAILURES_UNTIL_BROKEN ? this.#lastFailure : undefined;
  }

  /**
   * Takes a started browser, or waits for one.
   *
   * @param signal ends the wait
   * @throws NodeError `browser_unavailable` when the host cannot start browsers; the signal's reason when aborted
   */
  async take(signal: AbortSignal): Promise<ChromiumProcess> {
    signal.throwIfAborted();
    if (this.#closing.signal.aborted) throw new NodeError('node_stopping', 'the node is shutting down');
    const ready = this.#idle.shift();
    if (ready !== undefined) {
      if (this.#idle.length === 0) this.#refill();
      else this.#refillSoon();
      return ready;
    }
    if (this.broken !== undefined) throw this.#brokenError();
    return this.#wait(signal);
  }

  /** Gives back a browser that no client has used. */
  giveBack(browser: ChromiumProcess): void {
    this.#offer(browser);
    this.#trim();
  }

  /**
   * Asks every idle browser for a sign of life; the silent ones are killed and replaced.
   * While asked, a browser is not handed out: its answer would reach a client that never asked.
   *
   * @returns how many answered and how many did not
   */
  async probe(timeoutMs: number): Promise<{ answered: number; silent: number }> {
    const asked = this.#idle.splice(0);
    this.#probing += asked.length;
    const answers = await Promise.all(asked.map((browser) => this.#probeOne(browser, timeoutMs)));
    this.#refill();
    const answered = answers.filter(Boolean).length;
    return { answered, silent: answers.length - answered };
  }

  /** Kills everything that waits here and everything still starting. Resolves when all of it is gone. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#replaceTimer);
    const stopping = new NodeError('node_stopping', 'the node is shutting down');
    for (const waiter of [...this.#waiters]) waiter.refuse(stopping);
    for (const browser of this.#idle.splice(0)) this.#bury(browser);
    await Promise.all([...this.#starts]);
    await Promise.all([...this.#burials]);
  }

  #wait(signal: AbortSignal): Promise<ChromiumProcess> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiters.delete(waiter);
        signal.removeEventListener('abort', onAbort);
      };
      const waiter: Waiter = {
        serve: (browser) => {
          leave();
          resolve(browser);
        },
        refuse: (error) => {
          leave();
          reject(error);
        },
      };
      const onAbort = () => {
        leave();
        reject(signal.reason instanceof Error ? signal.reason : new NodeError('internal', 'the wait was aborted'));
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiters.add(waiter);
      this.#refill();
    });
  }

  #refillSoon(): void {
    this.#replaceTimer ??= setTimeout(() => {
      this.#replaceTimer = undefined;
      this.#refill();
    }, REPLACE_AFTER_MS);
  }

  #refill(): void {
    if (this.#closing.signal.aborted || this.#retryTimer !== undefined) return;
    const present = this.#idle.length + this.#probing + this.#starts.size;
    // A broken host is tried again even when nobody waits, or it would never be found to have recovered.
    const wanted = Math.max(this.#options.target + this.#waiters.size, this.broken === undefined ? 0 : 1);
    const missing = wanted - present;
    const startable = Math.max(STARTS_AT_ONCE, this.#waiters.size) - this.#starts.size;
    for (let n = Math.min(missing, startable); n > 0; n -= 1) this.#startOne();
  }

  #startOne(): void {
    const start = this.#options
      .start(this.#closing.signal)
      .then(
        (browser) => this.#started(browser),
        (error: unknown) => this.#failed(error),
      )
      .finally(() => {
        this.#starts.delete(start);
        this.#refill();
      });
    this.#starts.add(start);
  }

  #started(browser: ChromiumProcess): void {
    this.#failures = 0;
    void browser.exited.then((how) => this.#onIdleDeath(browser, how));
    this.#offer(browser);
    this.#trim();
  }

  // Not a hot loop: a host without memory or process ids is not helped by more attempts.
  #failed(error: unknown): void {
    if (this.#closing.signal.aborted) return;
    this.#failures += 1;
    this.#lastFailure = error instanceof Error ? error.message : String(error);
    this.#options.log.warn({ err: error, failures: this.#failures }, 'browser start failed');
    if (this.broken !== undefined) for (const waiter of [...this.#waiters]) waiter.refuse(this.#brokenError());
    if (this.#retryTimer !== undefined) return;
    const delay = Math.min(FIRST_RETRY_MS * 2 ** (this.#failures - 1), LONGEST_RETRY_MS);
    this.#retryTimer = setTimeout(() => {
      this.#retryTimer = undefined;
      this.#refill();
    }, delay);
  }

  #offer(browser: ChromiumProcess): void {
    const [waiter] = this.#waiters;
    if (this.#closing.signal.aborted || !browser.alive) this.#bury(browser);
    else if (waiter === undefined) this.#idle.push(browser);
    else waiter.serve(browser);
  }

  #trim(): void {
    for (const browser of this.#idle.splice(this.#options.target)) this.#bury(browser);
  }

  #onIdleDeath(browser: ChromiumProcess, how: string): void {
    const index = this.#idle.indexOf(browser);
    if (index === -1) return;
    this.#idle.splice(index, 1);
    this.#options.log.warn({ pid: browser.pid, how }, 'a waiting browser ended');
    this.#bury(browser);
    this.#refill();
  }

  async #probeOne(browser: ChromiumProcess, timeoutMs: number): Promise<boolean> {
    try {
      await browser.probe(timeoutMs);
      this.#offer(browser);
      return true;
    } catch (error) {
      this.#options.log.warn({ err: error, pid: browser.pid }, 'a waiting browser gave no sign of life');
      this.#bury(browser);
      return false;
    } finally {
      this.#probing -= 1;
    }
  }

  #bury(browser: ChromiumProcess): void {
    const burial = browser
      .kill()
      .removed.catch((error: unknown) => {
        this.#options.log.error({ err: error, pid: browser.pid }, 'a browser could not be cleaned up');
      })
      .finally(() => this.#burials.delete(burial));
    this.#burials.add(burial);
  }

  #brokenError(): NodeError {
    return new NodeError('browser_unavailable', `browsers cannot be started here: ${this.#lastFailure}`);
  }
}
