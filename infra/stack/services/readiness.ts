import { setTimeout as pause } from 'node:timers/promises';

const ASK_EVERY_MS = 40;

/** Asks again and again until `ask` resolves; the last refusal is the error's cause when the time is over. */
export async function untilAnswered<T>(withinMs: number, ask: () => Promise<T>): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    try {
      return await settledWithin(Math.max(1, end - performance.now()), ask());
    } catch (error) {
      if (performance.now() + ASK_EVERY_MS >= end) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(`no good answer within ${String(withinMs)} ms (${reason})`, { cause: error });
      }
    }
    await pause(ASK_EVERY_MS);
  }
}

/** Settles as `work` does, or rejects when the time is over. */
export async function settledWithin<T>(withinMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`not within ${String(Math.round(withinMs))} ms`));
    }, withinMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** One HTTP request that must be answered with 2xx. */
export async function expectOk(url: string): Promise<void> {
  const status = await statusOf(url);
  if (status < 200 || status > 299) throw new Error(`${url} answers ${String(status)}`);
}

/** The status of one HTTP request. */
export async function statusOf(url: string): Promise<number> {
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
  await response.body?.cancel();
  return response.status;
}
