import { setTimeout as pause } from 'node:timers/promises';

export interface Patience {
  readonly forMs: number;
  /** It would be answered again, so asking again is of no use. */
  readonly isFinal: (error: unknown) => boolean;
}

const RESTS_MS = { first: 100, longest: 1_600 };

/** Asks again while a server is not there, with growing rests. Fails with its last failure. What is asked may be repeated. */
export async function persist<T>(signal: AbortSignal, { forMs, isFinal }: Patience, ask: () => Promise<T>): Promise<T> {
  const lastAt = performance.now() + forMs;
  for (let rest = RESTS_MS.first; ; rest = Math.min(rest * 2, RESTS_MS.longest)) {
    try {
      return await ask();
    } catch (error) {
      if (isFinal(error) || performance.now() + rest > lastAt) throw error;
      await pause(rest, undefined, { signal });
    }
  }
}
