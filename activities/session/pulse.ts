import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, CDPSession } from 'playwright-core';
import { Deadline } from '../deadline.js';
import { JobFailure } from '../failure.js';

/** Between two questions, milliseconds. */
const ASK_EVERY_MS = 3_000;
/** A browser answers this one beside all that its pages do: within milliseconds, on a node that is overloaded in a second. */
const SILENT_MS = 10_000;

export interface PulseTimes {
  readonly everyMs: number;
  readonly silentMs: number;
}

/**
 * Asks the browser for a sign of life again and again until `signal` ends. Fails with `connection_lost` when none came: a
 * process that was stopped, or a host that went away, keeps its socket open, and every call to it would wait for ever.
 */
export async function watchPulse(
  browser: Browser,
  signal: AbortSignal,
  { everyMs, silentMs }: PulseTimes = { everyMs: ASK_EVERY_MS, silentMs: SILENT_MS },
): Promise<void> {
  let session: Promise<CDPSession> | undefined;
  try {
    for (;;) {
      // At first too: most captures end before the first question, and pay nothing for it.
      await pause(everyMs, undefined, { signal });
      session ??= browser.newBrowserCDPSession();
      await answers(session, signal, silentMs);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function answers(session: Promise<CDPSession>, signal: AbortSignal, silentMs: number): Promise<void> {
  const bound = Deadline.after(silentMs, 'connection_lost', signal);
  try {
    await bound.race(session.then(async (open) => await open.send('Browser.getVersion')));
  } catch (error) {
    if (!bound.signal.aborted) throw error;
    throw new JobFailure('connection_lost', `The browser gave no sign of life for ${String(silentMs)} ms.`);
  } finally {
    bound.stop();
  }
}
