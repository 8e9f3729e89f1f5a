import type { Logger } from 'pino';
import type { ChromiumProcess } from './chromium/process.js';
import type { ConnectLog } from './connect-log.js';
import { within } from './deadline.js';
import { NodeError, type NodeErrorCode, type SessionEnd } from './errors.js';
import type { Fence } from './fence.js';
import { Session } from './session.js';

export type SessionDeskOptions = {
  maxSessions: number;
  takeBrowser: (signal: AbortSignal) => Promise<ChromiumProcess>;
  fence: Fence;
  connectLog: ConnectLog;
  log: Logger;
};

export type SessionWish = {
  trackingId: string | null;
  limitMs: number;
  /** Aborts when the client gives up before it was connected. */
  clientGone: AbortSignal;
};

/** Bound on the wait for a started browser while there is a free slot. */
const OPEN_TIMEOUT_MS = 10_000;
/** Bound on the wait for a killed session; a process in an uninterruptible wait may take longer than anybody waits. */
const KILL_TIMEOUT_MS = 10_000;
const REJECTIONS_WINDOW_MS = 60_000;
const MAX_REJECTIONS_KEPT = 10_000;

/** Gives out the slots. A slot is taken before anything is awaited, and free only when its process is dead. */
export class SessionDesk {
  readonly #options: SessionDeskOptions;
  readonly #sessions = new Set<Session>();
  /** Ended sessions whose folders are being removed; they hold no slot. */
  readonly #unfinished = new Set<Promise<void>>();
  #rejections: number[] = [];
  #opened = 0;
  #stopping = false;

  constructor(options: SessionDeskOptions) {
    this.#options = options;
  }

  /** Slots in use: sessions being opened, open, and being killed. */
  get running(): number {
    return this.#sessions.size;
  }

  get maxSessions(): number {
    return this.#options.maxSessions;
  }

  /** Sessions that got a browser since the node started. */
  get opened(): number {
    return this.#opened;
  }

  get sessions(): readonly Session[] {
    return [...this.#sessions];
  }

  /** Refusals for want of a slot within the last minute. */
  get recentlyRejected(): number {
    const since = performance.now() - REJECTIONS_WINDOW_MS;
    this.#rejections = this.#rejections.filter((at) => at > since);
    return this.#rejections.length;
  }

  /**
   * Takes a slot and a browser for it.
   *
   * @throws NodeError `tracking_id_barred`, `tracking_id_live`, `at_capacity`, `browser_unavailable`, `node_stopping`
   */
  async open(wish: SessionWish): Promise<Session> {
    const session = this.#reserve(wish);
    const giveUp = () => session.end('client_closed');
    wish.clientGone.addEventListener('abort', giveUp, { once: true });
    try {
      const signal = AbortSignal.any([session.openingSignal, AbortSignal.timeout(OPEN_TIMEOUT_MS)]);
      session.own(await this.#options.takeBrowser(signal));
      this.#opened += 1;
      this.#record('open', wish.trackingId, null);
      return session;
    } catch (error) {
      session.end('browser_unavailable');
      throw error instanceof NodeError ? error : noBrowserInTime(error);
    } finally {
      wish.clientGone.removeEventListener('abort', giveUp);
    }
  }

  /**
   * Bars the id, then kills its session and waits until no process of it runs.
   *
   * @param id tracking id or session id
   * @throws NodeError `session_unknown` (the id is barred all the same), `kill_unconfirmed`, `fence_full`
   */
  async kill(id: string): Promise<void> {
    const session = this.sessions.find((one) => one.trackingId === id || one.id === id);
    if (session === undefined) {
      this.#options.fence.bar(id);
      throw new NodeError('session_unknown', 'no such session; the id is barred from now on');
    }
    session.end('killed');
    if (session.trackingId !== null) this.#options.fence.bar(session.trackingId);
    await within(KILL_TIMEOUT_MS, session.finished, () => {
      return new NodeError('kill_unconfirmed', `the browser still runs after ${KILL_TIMEOUT_MS} ms`);
    });
  }

  refused(trackingId: string | null, reason: NodeErrorCode): void {
    if (reason === 'at_capacity' && this.#rejections.length < MAX_REJECTIONS_KEPT) {
      this.#rejections.push(performance.now());
    }
    this.#record('refused', trackingId, reason);
  }

  /** Ends every session and refuses new ones; resolves when all of them are gone. */
  async close(): Promise<void> {
    this.#stopping = true;
    for (const session of this.#sessions) session.end('node_stopping');
    await Promise.all([...this.#unfinished]);
  }

  #reserve(wish: SessionWish): Session {
    const { trackingId, limitMs } = wish;
    if (this.#stopping) throw new NodeError('node_stopping', 'the node is shutting down');
    if (trackingId !== null && this.#options.fence.isBarred(trackingId)) {
      throw new NodeError('tracking_id_barred', 'this tracking id was killed');
    }
    if (trackingId !== null && this.sessions.some((one) => one.trackingId === trackingId)) {
      throw new NodeError('tracking_id_live', 'a session with this tracking id is live');
    }
    if (this.running >= this.maxSessions) {
      throw new NodeError('at_capacity', `all ${this.maxSessions} sessions are in use`);
    }
    const session = new Session({
      trackingId,
      limitMs,
      onDead: (dead, end) => this.#onDead(dead, end),
      onTrouble: (troubled, error) => {
        this.#options.log.error({ err: error, session: troubled.id }, 'a session could not be cleaned up');
      },
    });
    this.#sessions.add(session);
    const finished = session.finished.finally(() => this.#unfinished.delete(finished));
    this.#unfinished.add(finished);
    return session;
  }

  #onDead(session: Session, end: SessionEnd): void {
    this.#sessions.delete(session);
    // A session that never got a browser is told of by its refusal.
    if (session.browserPid !== undefined) this.#record('close', session.trackingId, end);
  }

  #record(
    event: 'open' | 'close' | 'refused',
    trackingId: string | null,
    reason: SessionEnd | NodeErrorCode | null,
  ): void {
    this.#options.connectLog.add({ event, trackingId, reason, running: this.running });
  }
}

function noBrowserInTime(cause: unknown): NodeError {
  return new NodeError('browser_unavailable', `no browser was ready within ${OPEN_TIMEOUT_MS} ms`, { cause });
}
