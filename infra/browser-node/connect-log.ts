import { closeSync, openSync, writeSync } from 'node:fs';
import type { NodeErrorCode, SessionEnd } from './errors.js';

export type ConnectEvent = {
  event: 'open' | 'close' | 'refused';
  trackingId: string | null;
  /** Why it was closed or refused; null for `open`. */
  reason: SessionEnd | NodeErrorCode | null;
  /** Sessions that hold a slot after this event, those being opened or killed included. */
  running: number;
  at: string;
  /** The machine's monotonic clock, so that files of several processes can be merged. */
  monotonicMs: number;
};

const KEPT_IN_MEMORY = 1_000;

/**
 * Every connect, close and refusal in order. Written synchronously: the order and the last line before a
 * crash are what readers are after, and a line costs less than a hundredth of the connect it tells of.
 */
export class ConnectLog {
  readonly #kept: ConnectEvent[] = [];
  readonly #file: number | undefined;

  constructor(path?: string) {
    this.#file = path === undefined ? undefined : openSync(path, 'a', 0o600);
  }

  get events(): readonly ConnectEvent[] {
    return this.#kept;
  }

  add(event: Omit<ConnectEvent, 'at' | 'monotonicMs'>): void {
    const monotonicMs = Number(process.hrtime.bigint() / 1_000n) / 1_000;
    const full: ConnectEvent = { ...event, at: new Date().toISOString(), monotonicMs };
    this.#kept.push(full);
    if (this.#kept.length > KEPT_IN_MEMORY) this.#kept.shift();
    if (this.#file !== undefined) writeSync(this.#file, `${JSON.stringify(full)}\n`);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}
