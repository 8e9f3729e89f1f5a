import { randomBytes } from 'node:crypto';
import type { WebSocket } from 'ws';
import { bridge } from './bridge.js';
import type { ChromiumProcess } from './chromium/process.js';
import { NodeError, SESSION_ENDS, systemCode, type SessionEnd } from './errors.js';

export type SessionState = 'opening' | 'open' | 'closing' | 'closed';

export type SessionOptions = {
  trackingId: string | null;
  limitMs: number;
  /** Called once, when no process of the session runs any more: its slot is free from then on. */
  onDead(session: Session, end: SessionEnd): void;
  /** Called when something could not be cleaned up. */
  onTrouble(session: Session, error: unknown): void;
};

const TOO_BIG = 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';
/** A client that does not read the close frame in this time is cut off. */
const CLOSE_FRAME_MS = 2_000;
const HEARTBEAT_MS = 20_000;
/** Three heartbeats: a driver's event loop may well be busy for one of them. */
const SILENCE_MS = 60_000;

/**
 * One client on one browser process that nobody else has used or will use.
 * Whatever ends it first decides the reason; then the socket is closed, the process group killed,
 * the slot freed, and the profile removed, in this order.
 */
export class Session {
  readonly id = randomBytes(12).toString('hex');
  readonly trackingId: string | null;
  readonly limitMs: number;
  readonly startedAt = new Date();
  /** Resolves when process and profile are gone. Never rejects: trouble is reported by `onTrouble`. */
  readonly finished: Promise<void>;
  readonly #options: SessionOptions;
  readonly #opening = new AbortController();
  #state: SessionState = 'opening';
  #browser: ChromiumProcess | undefined;
  #client: WebSocket | undefined;
  #timers: NodeJS.Timeout[] = [];
  #finish: () => void = () => undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.trackingId = options.trackingId;
    this.limitMs = options.limitMs;
    this.finished = new Promise((resolve) => (this.#finish = resolve));
  }

  get state(): SessionState {
    return this.#state;
  }

  get browserPid(): number | undefined {
    return this.#browser?.pid;
  }

  /** Aborts when the session ends before it was open. */
  get openingSignal(): AbortSignal {
    return this.#opening.signal;
  }

  /** Takes over a started browser. The session kills it, also when it ended meanwhile. */
  own(browser: ChromiumProcess): void {
    if (this.#state === 'opening') {
      this.#browser = browser;
      return;
    }
    browser.kill().removed.catch((error: unknown) => this.#options.onTrouble(this, error));
    this.#opening.signal.throwIfAborted();
  }

  /** Connects the client; from here on the session limit runs. */
  attach(client: WebSocket): void {
    const browser = this.#browser;
    if (this.#state !== 'opening' || browser === undefined) {
      client.terminate();
      return;
    }
    this.#state = 'open';
    this.#client = client;
    client.on('close', () => this.end('client_closed'));
    // `ws` has closed the socket itself, with the fitting code.
    client.on('error', (error) => this.end(systemCode(error) === TOO_BIG ? 'message_too_big' : 'client_closed'));
    this.#timers.push(setTimeout(() => this.end('session_limit'), this.limitMs));
    this.#watchForSilence(client);
    void browser.exited.then(() => this.end('browser_crashed'));
    bridge(client, browser.pipe, (why) => this.end(why === 'tooBig' ? 'message_too_big' : 'browser_crashed'));
  }

  /** Ends the session; the first reason counts. */
  end(end: SessionEnd): void {
    if (this.#state === 'closing' || this.#state === 'closed') return;
    this.#state = 'closing';
    for (const timer of this.#timers) clearTimeout(timer);
    this.#opening.abort(endError(end));
    this.#closeClient(end);
    this.#bury(end)
      .catch((error: unknown) => this.#options.onTrouble(this, error))
      .finally(this.#finish);
  }

  #closeClient(end: SessionEnd): void {
    const client = this.#client;
    if (client === undefined) return;
    const { closeCode, reason } = SESSION_ENDS[end];
    // A socket held back by back-pressure would never see the client's half of the closing handshake.
    client.resume();
    client.close(closeCode, end === 'session_limit' ? `${reason} (${this.limitMs} ms)` : reason);
    const cut = setTimeout(() => client.terminate(), CLOSE_FRAME_MS);
    client.once('close', () => clearTimeout(cut));
  }

  // The slot is kept for as long as a process of the session may run, even if that is for ever.
  async #bury(end: SessionEnd): Promise<void> {
    const burial = this.#browser?.kill();
    await burial?.dead;
    this.#state = 'closed';
    this.#options.onDead(this, end);
    await burial?.removed;
  }

  #watchForSilence(client: WebSocket): void {
    let heardAt = performance.now();
    const heard = () => (heardAt = performance.now());
    client.on('pong', heard);
    client.on('message', heard);
    const beat = setInterval(() => {
      if (performance.now() - heardAt > SILENCE_MS) {
        client.terminate();
        this.end('client_lost');
      } else client.ping();
    }, HEARTBEAT_MS);
    this.#timers.push(beat);
  }
}

function endError(end: SessionEnd): NodeError {
  if (end === 'killed') return new NodeError('tracking_id_barred', 'this tracking id was killed');
  if (end === 'client_closed') return new NodeError('client_gone', 'the client left before it was connected');
  if (end === 'node_stopping') return new NodeError('node_stopping', 'the node is shutting down');
  return new NodeError('browser_unavailable', `the session ended before it was open: ${SESSION_ENDS[end].reason}`);
}
