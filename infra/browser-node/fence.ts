import { NodeError } from './errors.js';

/** Bound on remembered ids: at 60 bytes each about 6 MB. */
const MAX_BARRED = 100_000;

/**
 * Tracking ids that must never open a session again. An id is remembered for the time in which a late
 * dial with it could still arrive: the session limit, counted from the kill.
 */
export class Fence {
  readonly #until = new Map<string, number>();
  readonly #rememberMs: number;
  readonly #now: () => number;

  constructor(rememberMs: number, now: () => number = () => performance.now()) {
    this.#rememberMs = rememberMs;
    this.#now = now;
  }

  /**
   * Bars an id from now on; barring again extends the time.
   *
   * @throws NodeError `fence_full`: forgetting an older id instead would let that one in
   */
  bar(id: string): void {
    this.#forgetExpired();
    if (this.#until.size >= MAX_BARRED && !this.#until.has(id)) {
      throw new NodeError('fence_full', `${MAX_BARRED} ids are barred already`);
    }
    // Deleted first, so that the map stays ordered by expiry.
    this.#until.delete(id);
    this.#until.set(id, this.#now() + this.#rememberMs);
  }

  isBarred(id: string): boolean {
    this.#forgetExpired();
    return this.#until.has(id);
  }

  #forgetExpired(): void {
    const now = this.#now();
    for (const [id, until] of this.#until) {
      if (until > now) return;
      this.#until.delete(id);
    }
  }
}
