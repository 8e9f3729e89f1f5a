import type { CDPSession, Frame, Page } from 'playwright-core';
import type { Deadline } from '../deadline.js';
import { JobFailure, messageOf } from '../failure.js';
import { Moved, ScriptError } from './classify.js';

/** One frame of a page, reached through the process that its document lives in. */
export interface PageFrame {
  readonly session: CDPSession;
  readonly id: string;
  readonly url: string;
  /** Of its document; that of an opaque one is equal to no other's. */
  readonly origin: string;
  /** The frame that holds it; none for the main one. */
  readonly parent?: PageFrame;
}

interface Tree {
  readonly frame: Readonly<Record<'id' | 'url' | 'securityOrigin', string>> & { readonly parentId?: string };
  readonly childFrames?: readonly Tree[];
}

/** What a frame is known by before the frames around it are. */
type Loose = Omit<PageFrame, 'parent'> & { readonly parentId: string | undefined };

/**
 * Scripts of ours share the page's document with it but none of its objects: whatever a page makes of `Promise`,
 * `JSON.stringify` or, by the name of an element, of `document.title` stays its own affair.
 */
const WORLD = 'darkroom';
/** A frame of another process that hangs is not waited for. */
const FRAME_MS = 1_000;
const GONE = /execution context was destroyed|cannot find context|no frame|navigated or closed|could not create/i;
const STALE = /cannot find context/i;
/** Endless dialogs are ended by ending whatever runs, which may be a script of ours. */
const CUT = /runtime\.evaluate\): internal error/i;
const TRIES = 5;

/** The page did not answer in time. */
export class NoAnswer extends JobFailure {
  constructor(ms: number) {
    super('attempt_timeout', `The page did not answer for ${String(ms)} ms.`);
  }
}

/** The frames of a page, and the way for scripts of ours into them. */
export class Frames {
  readonly #page: Page;
  readonly #cdp: CDPSession;
  readonly #answerMs: number;
  /** Of frames whose document lives in another process than the one that holds them. */
  readonly #sessions = new Map<Frame, CDPSession>();
  readonly #worlds = new WeakMap<CDPSession, Map<string, number>>();
  #main: PageFrame | undefined;

  constructor(page: Page, cdp: CDPSession, answerMs: number) {
    this.#page = page;
    this.#cdp = cdp;
    this.#answerMs = answerMs;
  }

  /** The page's own frame: it stays the same whatever document it shows. */
  async main(bound: Deadline): Promise<PageFrame> {
    if (this.#main !== undefined) return this.#main;
    const { frameTree } = await this.answer(bound, this.#cdp.send('Page.getFrameTree'));
    const { id, url, securityOrigin } = frameTree.frame;
    this.#main = { session: this.#cdp, id, url, origin: securityOrigin };
    return this.#main;
  }

  /** All frames but the main one. Those of a process that does not answer are left out. */
  async children(bound: Deadline): Promise<readonly PageFrame[]> {
    const others = this.#page.frames().filter((frame) => frame !== this.#page.mainFrame());
    if (others.length === 0) return [];
    const [main, own, ...apart] = await Promise.all([
      this.main(bound),
      this.answer(bound, treeOf(this.#cdp)),
      ...others.map(async (frame) => await this.#apart(bound, frame)),
    ]);
    const known = new Map<string, PageFrame>([[main.id, main]]);
    // Of a tree the frame that holds another comes first; of trees any may.
    for (let rest = [...own, ...apart.flat()]; ;) {
      const found = rest.filter(({ parentId }) => parentId !== undefined && known.has(parentId));
      for (const { parentId = '', ...frame } of found) {
        const parent = known.get(parentId);
        if (!known.has(frame.id) && parent) known.set(frame.id, { ...frame, parent });
      }
      if (found.length === 0) break;
      rest = rest.filter((frame) => !found.includes(frame));
    }
    return [...known.values()].filter((frame) => frame.parent !== undefined);
  }

  /**
   * The outcome of an expression in the frame, as data. Fails with `Moved` when its document goes, with `ScriptError` when
   * the expression throws, and with `attempt_timeout` when the page does not answer at all.
   */
  async call<T>(bound: Deadline, frame: PageFrame, expression: string): Promise<T> {
    return await this.answer(bound, this.#call<T>(frame, expression));
  }

  /** The same in the page's own frame. */
  async callMain<T>(bound: Deadline, expression: string): Promise<T> {
    return await this.call<T>(bound, await this.main(bound), expression);
  }

  /** The same among the page's own scripts, which may have replaced anything. */
  async callAmongTheirs<T>(bound: Deadline, expression: string): Promise<T> {
    return await this.answer(bound, evaluate<T>(this.#cdp, expression, undefined).catch(this.#explain(this.#cdp)));
  }

  /** A page whose thread is busy answers late; one that never does is given up. `times`: for what may take longer. */
  async answer<T>(bound: Deadline, work: Promise<T>, times = 1): Promise<T> {
    const ms = this.#answerMs * times;
    const limit = bound.within(ms, 'attempt_timeout');
    try {
      return await limit.race(work);
    } catch (error) {
      if (!limit.signal.aborted || bound.signal.aborted) throw error;
      throw new NoAnswer(ms);
    } finally {
      limit.stop();
    }
  }

  async #call<T>(frame: PageFrame, expression: string): Promise<T> {
    const { session } = frame;
    for (let left = TRIES; ; left -= 1) {
      try {
        return await evaluate<T>(session, expression, await this.#world(frame));
      } catch (error) {
        const message = messageOf(error);
        const again = left > 1 && !(error instanceof ScriptError) && (STALE.test(message) || CUT.test(message));
        if (!again) return this.#explain(session)(error);
        // The frame shows another document since it was last called.
        if (STALE.test(message)) this.#worlds.get(session)?.delete(frame.id);
      }
    }
  }

  async #world({ session, id }: PageFrame): Promise<number> {
    const worlds = this.#worlds.get(session) ?? new Map<string, number>();
    this.#worlds.set(session, worlds);
    const known = worlds.get(id);
    if (known !== undefined) return known;
    const made = await session.send('Page.createIsolatedWorld', { frameId: id, worldName: WORLD });
    worlds.set(id, made.executionContextId);
    return made.executionContextId;
  }

  /** The page's end is told by its watch; the end of a frame's process is only that frame's. */
  #explain(session: CDPSession): (error: unknown) => never {
    return (error) => {
      if (CUT.test(messageOf(error))) throw new ScriptError('It was ended again and again.', { cause: error });
      const isGone = GONE.test(messageOf(error)) || (session !== this.#cdp && /closed/i.test(messageOf(error)));
      throw isGone && !(error instanceof ScriptError) ? new Moved('', { cause: error }) : error;
    };
  }

  /** What is in the frame's own process, when it has one. */
  async #apart(bound: Deadline, frame: Frame): Promise<readonly Loose[]> {
    const found = await bound.attempt(FRAME_MS, async () => {
      const session = await this.#sessionOf(frame);
      return session && (await treeOf(session).catch(() => [])); // It went while it was asked.
    });
    return found ?? [];
  }

  async #sessionOf(frame: Frame): Promise<CDPSession | undefined> {
    const known = this.#sessions.get(frame);
    if (known !== undefined) return known;
    try {
      const session = await this.#page.context().newCDPSession(frame);
      session.on('close', () => this.#sessions.delete(frame));
      this.#sessions.set(frame, session);
      return session;
    } catch {
      return undefined; // It lives with the frame that holds it, or went; of a page that went its watch tells.
    }
  }
}

async function treeOf(session: CDPSession): Promise<readonly Loose[]> {
  const { frameTree } = await session.send('Page.getFrameTree');
  const flat = ({ frame, childFrames = [] }: Tree): Loose[] => [
    { session, id: frame.id, url: frame.url, origin: frame.securityOrigin, parentId: frame.parentId },
    ...childFrames.flatMap(flat),
  ];
  return flat(frameTree);
}

async function evaluate<T>(session: CDPSession, expression: string, contextId: number | undefined): Promise<T> {
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression,
    returnByValue: true,
    silent: true,
    awaitPromise: contextId !== undefined,
    ...(contextId === undefined ? {} : { contextId }),
  });
  if (exceptionDetails) throw new ScriptError(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value as T;
}
