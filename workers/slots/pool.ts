import type { Logger } from 'pino';
import {
  JobFailure,
  messageOf,
  NeverOpened,
  NodeRefusal,
  type Deadline,
  type Nodes,
  type SessionHost,
} from '../../activities/index.js';
import type { Grant, Job, ReservationRef } from '../../workflows/contract/index.js';
import type { Slot } from './slot.js';

export interface HeldSession extends ReservationRef {
  readonly node: string;
  /** Since an activity last worked on it; 0 while one does. */
  readonly idleMs: number;
}

interface Session {
  /** Missing while it waits for one; its lease is renewed all the same. */
  slot: Slot | undefined;
  readonly grant: Grant;
  browser: string;
  working: number;
  idleSince: number;
}

/** Before another slot is tried when one did not start. */
const RESTART_MS = 1_000;

/**
 * The worker's slots. Each holds at most one session, and the scheduler grants no more sessions than there are slots. A
 * slot that dies takes its session with it: its socket closes, so the node ends the session; another slot is started.
 */
export class SlotPool implements SessionHost {
  readonly #nodes: Nodes;
  readonly #log: Logger;
  readonly #start: () => Promise<Slot>;
  readonly #all = new Set<Slot>();
  readonly #idle: Slot[] = [];
  readonly #waiting: ((slot: Slot) => void)[] = [];
  readonly #sessions = new Map<string, Session>();
  #stopped = false;

  private constructor(nodes: Nodes, log: Logger, start: () => Promise<Slot>) {
    this.#nodes = nodes;
    this.#log = log;
    this.#start = start;
  }

  static async start(size: number, nodes: Nodes, log: Logger, start: () => Promise<Slot>): Promise<SlotPool> {
    const pool = new SlotPool(nodes, log, start);
    await Promise.all(Array.from({ length: size }, () => pool.#add()));
    return pool;
  }

  get sessions(): readonly HeldSession[] {
    const now = performance.now();
    return [...this.#sessions.values()].map(({ grant, working, idleSince }) => ({
      reservation: grant.reservation,
      generation: grant.generation,
      node: grant.node,
      idleMs: working > 0 ? 0 : now - idleSince,
    }));
  }

  async open(deadline: Deadline, grant: Grant, job: Job, sessionMs: number): Promise<{ readonly browser: string }> {
    const session: Session = { slot: undefined, grant, browser: '', working: 0, idleSince: performance.now() };
    const { node, reservation } = grant;
    this.#sessions.set(reservation, session);
    try {
      return await work(session, async () => {
        const slot = await this.#take(deadline);
        session.slot = slot;
        if (this.#find(grant) !== session) throw new JobFailure('stale_generation', 'It was closed before it opened.');
        const opened = await slot.call(deadline, 'open', { job, node, reservation, sessionMs });
        session.browser = opened.browser;
        return opened;
      });
    } catch (error) {
      if (this.#find(grant) === session) this.#sessions.delete(reservation);
      this.#giveBack(session.slot, error);
      throw error;
    }
  }

  /** Only these errors say that the slot holds nothing; after any other a session may still come to be in it. */
  #giveBack(slot: Slot | undefined, error: unknown): void {
    const isEmpty =
      error instanceof NodeRefusal ||
      error instanceof NeverOpened ||
      (error instanceof JobFailure && error.code === 'stale_generation');
    if (slot === undefined) return;
    if (isEmpty) this.#put(slot);
    else slot.kill();
  }

  async capture(deadline: Deadline, grant: Grant, job: Job) {
    const session = this.#find(grant);
    const slot = session?.slot;
    if (session === undefined || slot === undefined) {
      throw new JobFailure('stale_generation', 'The session had been closed.');
    }
    return await work(session, async () => {
      const { fontSet } = await this.#nodes.get(grant.node).version(deadline);
      const browser = { version: session.browser, fontSet };
      return await slot.call(deadline, 'capture', { job, grant, browser });
    });
  }

  async close(deadline: Deadline, ref: ReservationRef, how: 'orderly' | 'drop'): Promise<void> {
    const session = this.#find(ref);
    if (session === undefined) return;
    this.#sessions.delete(ref.reservation);
    const { slot } = session;
    if (slot === undefined) return;
    if (session.working > 0) {
      // It opens or captures still, and would go on after the close.
      slot.kill();
      return;
    }
    try {
      await slot.call(deadline, 'close', { how });
      this.#put(slot);
    } catch (error) {
      this.#log.warn({ reservation: ref.reservation, error: messageOf(error) }, 'slot did not close; killing it');
      slot.kill();
    }
  }

  answers(ref: ReservationRef): boolean {
    return this.#find(ref)?.slot?.answers ?? true;
  }

  /** Kills every slot. */
  async stop(): Promise<void> {
    this.#stopped = true;
    const slots = [...this.#all];
    for (const slot of slots) slot.kill();
    await Promise.all(slots.map((slot) => slot.exited));
  }

  #find(ref: ReservationRef): Session | undefined {
    const session = this.#sessions.get(ref.reservation);
    return session?.grant.generation === ref.generation ? session : undefined;
  }

  /** Normally at once, the one that worked last: its code is hot. After a kill, when the replacement is up. */
  async #take(deadline: Deadline): Promise<Slot> {
    const slot = this.#idle.findLast(({ isEnding }) => !isEnding);
    if (slot !== undefined) {
      this.#idle.splice(this.#idle.lastIndexOf(slot), 1);
      return slot;
    }
    const { promise, resolve } = deferred<Slot>();
    this.#waiting.push(resolve);
    try {
      return await deadline.race(promise);
    } catch (error) {
      const index = this.#waiting.indexOf(resolve);
      // Given in the very moment that the wait ended: it must not be lost.
      if (index < 0) this.#put(await promise);
      else this.#waiting.splice(index, 1);
      throw error;
    }
  }

  /** A slot that is free again; a dead one is not taken back, its replacement is on the way. */
  #put(slot: Slot): void {
    if (!this.#all.has(slot) || slot.isEnding) return;
    const next = this.#waiting.shift();
    if (next === undefined) this.#idle.push(slot);
    else next(slot);
  }

  async #add(): Promise<void> {
    const slot = await this.#start();
    if (this.#stopped) {
      slot.kill();
      return;
    }
    this.#all.add(slot);
    this.#put(slot);
    void slot.exited.then(() => {
      this.#remove(slot);
    });
  }

  #remove(dead: Slot): void {
    this.#all.delete(dead);
    const index = this.#idle.indexOf(dead);
    if (index >= 0) this.#idle.splice(index, 1);
    if (this.#stopped) return;
    this.#log.warn({ pid: dead.pid }, 'slot ended; starting another');
    this.#restart();
  }

  #restart(): void {
    this.#add().catch((error: unknown) => {
      this.#log.error({ error: messageOf(error) }, 'slot did not start');
      setTimeout(() => {
        if (!this.#stopped) this.#restart();
      }, RESTART_MS).unref();
    });
  }
}

async function work<T>(session: Session, run: () => Promise<T>): Promise<T> {
  session.working += 1;
  try {
    return await run();
  } finally {
    session.working -= 1;
    session.idleSince = performance.now();
  }
}

function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
