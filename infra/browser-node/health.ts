import type { Logger } from 'pino';
import type { WarmPool } from './warm-pool.js';

export type Health = {
  status: 'ok' | 'busy' | 'unhealthy';
  /** Why the node is condemned. */
  reason?: string;
  /** Milliseconds since a browser last answered a probe or a start. */
  lastAnswerAgoMs: number | null;
};

export const DEFAULT_PROBE_EVERY_MS = 5_000;
/** One silent round may be a loaded machine; two are a stopped browser. */
const SILENT_ROUNDS_UNTIL_UNHEALTHY = 2;

/** Asks idle browsers for a sign of life. A node whose browsers are all in use has nobody to ask and stays healthy. */
export class HealthWatch {
  readonly #pool: WarmPool;
  readonly #everyMs: number;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #silentRounds = 0;
  #lastAnswerAt: number | undefined;
  #lastRoundAsked = 0;

  constructor(pool: WarmPool, everyMs: number, log: Logger) {
    this.#pool = pool;
    this.#everyMs = everyMs;
    this.#log = log;
  }

  start(): void {
    this.#lastAnswerAt = performance.now();
    this.#timer = setInterval(() => void this.probe(), this.#everyMs);
  }

  /** One round now; a round that is under way is joined. */
  async probe(): Promise<void> {
    this.#round ??= this.#ask().finally(() => (this.#round = undefined));
    await this.#round;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#round;
  }

  get health(): Health {
    const ago = this.#lastAnswerAt === undefined ? null : Math.round(performance.now() - this.#lastAnswerAt);
    const broken = this.#pool.broken;
    if (broken !== undefined)
      return { status: 'unhealthy', reason: `browser_unavailable: ${broken}`, lastAnswerAgoMs: ago };
    if (this.#silentRounds >= SILENT_ROUNDS_UNTIL_UNHEALTHY) {
      return { status: 'unhealthy', reason: 'browsers do not answer', lastAnswerAgoMs: ago };
    }
    return { status: this.#lastRoundAsked === 0 && this.#pool.idle === 0 ? 'busy' : 'ok', lastAnswerAgoMs: ago };
  }

  async #ask(): Promise<void> {
    const { answered, silent } = await this.#pool.probe(this.#everyMs);
    this.#lastRoundAsked = answered + silent;
    if (answered > 0) {
      this.#silentRounds = 0;
      this.#lastAnswerAt = performance.now();
    } else if (silent > 0) {
      this.#silentRounds += 1;
      this.#log.warn({ silent, rounds: this.#silentRounds }, 'no browser answered');
    }
  }
}
