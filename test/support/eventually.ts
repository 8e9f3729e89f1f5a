/**
 * Asks until the answer is wanted, for what has no signal of its own (a database's state, another process's end). It
 * fails with the last answer, so a bound that is too tight shows what was missing.
 */
export async function eventually<T>(
  ask: () => Promise<T> | T,
  wanted: (answer: T) => boolean,
  withinMs = 20_000,
): Promise<T> {
  const endsAt = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (wanted(answer)) return answer;
    if (performance.now() > endsAt) throw new Error(`Not within ${String(withinMs)} ms: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
