import { setTimeout as pause } from 'node:timers/promises';
import type { Service } from '../../infra/stack/index.js';

const AGAIN_MS = 300;

/** Keeps one service running: starts it again whenever it has ended, as an orchestrator does. */
export class Supervised<S extends Service> {
  current: S | undefined;
  #stopped = false;
  readonly #start: () => Promise<S>;
  readonly #loop: Promise<void>;

  private constructor(start: () => Promise<S>, first: S) {
    this.#start = start;
    this.current = first;
    this.#loop = this.#keep(first);
  }

  /** The first start must succeed; a later one that fails, since what it needs is down, is tried again. */
  static async start<S extends Service>(start: () => Promise<S>): Promise<Supervised<S>> {
    return new Supervised(start, await start());
  }

  async #keep(first: S): Promise<void> {
    let running: S | undefined = first;
    while (!this.#stopped) {
      await running?.exited;
      this.current = undefined;
      await pause(AGAIN_MS);
      if (this.#isStopped()) return;
      running = await this.#start().catch(() => undefined);
      this.current = running;
    }
    await running?.stop();
  }

  #isStopped(): boolean {
    return this.#stopped;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.current?.stop();
    await this.#loop;
  }
}
