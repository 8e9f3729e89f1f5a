/** The one place that races a promise against the clock. */

/**
 * Settles like `work`, or rejects with `late()` once `ms` milliseconds have passed.
 * The work itself goes on; its outcome after the deadline is ignored on purpose.
 */
export async function within<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
