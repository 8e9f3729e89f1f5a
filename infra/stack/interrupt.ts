/**
 * Under npm or npx one Ctrl-C arrives twice, from the terminal and forwarded by npm; a person is slower than that.
 */
const ONE_KEY_MS = 400;
const SIGNAL_NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** The wish of the user or the system that this process ends: once means in order, twice means at once. */
export interface Interrupt {
  /** Aborted at the first signal. */
  readonly signal: AbortSignal;
  /** Resolves at the first signal, with the exit code that shells expect: 130 for Ctrl-C. */
  readonly caught: Promise<number>;
}

/**
 * Takes over the signals that ask this process to end. The second one exits on the spot; what still runs is then
 * ended by the guardian.
 */
export function listenForInterrupt(): Interrupt {
  const abort = new AbortController();
  let firstAt = 0;
  const caught = new Promise<number>((resolve) => {
    for (const [name, number] of Object.entries(SIGNAL_NUMBERS)) {
      process.on(name, () => {
        if (abort.signal.aborted) {
          if (performance.now() - firstAt > ONE_KEY_MS) process.exit(128 + number);
          return;
        }
        firstAt = performance.now();
        abort.abort(new Error(`interrupted by ${name}`));
        resolve(128 + number);
      });
    }
  });
  return { signal: abort.signal, caught };
}
