import type { Logger } from 'pino';
import { JobFailure, messageOf, type Deadline, type SessionHost } from '../../activities/index.js';
import type { Nodes } from '../../activities/index.js';
import type { Grant, ReservationRef } from '../../workflows/contract/index.js';
import { Slot } from './slot.js';

export interface HeldSession extends ReservationRef {
  readonly node: string;
  /** Since an activity last worked on it; 0 while one does. */
  readonly idleMs: number;
}

/** The worker's slots. Each holds at most one session; the scheduler grants no more sessions than there are slots. */
export interface SlotPool extends SessionHost {
  readonly sessions: readonly HeldSession[];
  readonly size: number;
  /** Kills every slot and ends. */
  stop(): Promise<void>;
}

interface Session {
  readonly slot: Slot;
  readonly grant: Grant;
  browser: string;
  working: number;
  idleSince: number;
}

/** Playwright's own close of page, context and browser, each with this bound, then the slot is killed. */
const CLOSE_STEP_MS = 5_000;

export async function startSlotPool(
  size: number,
  nodes: Nodes,
  log: Logger,
  start: () => Promise<Slot>,
): Promise<SlotPool> {
  const idle: Slot[] = [];
  const all = new Set<Slot>();
  const sessions = new Map<string, Session>();
  const waiting: ((slot: Slot) => void)[] = [];
  let stopped = false;

  const put = (slot: Slot): void => {
    const next = waiting.shift();
    if (next === undefined) idle.push(slot);
    else next(slot);
  };

  const add = async (): Promise<void> => {
    const slot = await start();
    if (stopped) {
      slot.kill();
      return;
    }
    all.add(slot);
    put(slot);
    void slot.exited.then(() => {
      replace(slot);
    });
  };

  /** A dead slot takes its session with it: the socket closes, so the node ends the session. */
  const replace = (dead: Slot): void => {
    all.delete(dead);
    const index = idle.indexOf(dead);
    if (index >= 0) idle.splice(index, 1);
    if (stopped) return;
    log.warn({ pid: dead.pid }, 'slot ended; starting another');
    add().catch((error: unknown) => {
      log.error({ error: messageOf(error) }, 'slot did not start');
      setTimeout(() => {
        if (!stopped) replace(dead);
      }, 1_000).unref();
    });
  };

  /** Normally at once; after a kill, when the replacement is up. */
  const take = async (deadline: Deadline): Promise<Slot> => {
    const slot = idle.shift();
    if (slot !== undefined) return slot;
    let pending: ((slot: Slot) => void) | undefined;
    const next = new Promise<Slot>((resolve) => {
      pending = resolve;
      waiting.push(resolve);
    });
    try {
      return await deadline.race(next);
    } catch (error) {
      const index = pending === undefined ? -1 : waiting.indexOf(pending);
      if (index >= 0) waiting.splice(index, 1);
      throw error;
    }
  };

  const work = async <T>(session: Session, run: () => Promise<T>): Promise<T> => {
    session.working += 1;
    try {
      return await run();
    } finally {
      session.working -= 1;
      session.idleSince = performance.now();
    }
  };

  const find = (ref: ReservationRef): Session | undefined => {
    const session = sessions.get(ref.reservation);
    return session?.grant.generation === ref.generation ? session : undefined;
  };

  await Promise.all(Array.from({ length: size }, add));

  return {
    size,
    get sessions() {
      return [...sessions.values()].map(({ grant, working, idleSince }) => ({
        reservation: grant.reservation,
        generation: grant.generation,
        node: grant.node,
        idleMs: working > 0 ? 0 : performance.now() - idleSince,
      }));
    },
    async open(deadline, grant, job, sessionMs) {
      const slot = await take(deadline);
      const session: Session = { slot, grant, browser: '', working: 0, idleSince: performance.now() };
      sessions.set(grant.reservation, session);
      const { node, reservation } = grant;
      try {
        const opened = await work(session, () => slot.call(deadline, 'open', { job, node, reservation, sessionMs }));
        session.browser = opened.browser;
        return opened;
      } catch (error) {
        if (sessions.delete(grant.reservation)) release(slot);
        throw error;
      }
    },
    async capture(deadline, grant, job) {
      const session = find(grant);
      if (session === undefined) throw new JobFailure('stale_generation', 'The session had been closed.');
      return await work(session, async () => {
        const { fontSet } = await nodes.get(grant.node).version(deadline);
        const browser = { version: session.browser, fontSet };
        return await session.slot.call(deadline, 'capture', { job, grant, browser });
      });
    },
    async close(deadline, ref) {
      const session = find(ref);
      if (session === undefined) return;
      sessions.delete(ref.reservation);
      const bound = deadline.within(3 * CLOSE_STEP_MS, 'connect_timeout');
      try {
        await session.slot.call(bound, 'close', {});
        release(session.slot);
      } catch {
        // It hangs or is gone: killing it closes its socket, and the pool starts another.
        session.slot.kill();
      } finally {
        bound.stop();
      }
    },
    answers: (ref) => find(ref)?.slot.answers ?? true,
    async stop() {
      stopped = true;
      const slots = [...all];
      for (const slot of slots) slot.kill();
      await Promise.all(slots.map((slot) => slot.exited));
    },
  };

  function release(slot: Slot): void {
    if (all.has(slot)) put(slot);
  }
}
