import type { Client } from '@temporalio/client';

export interface Abortable {
  /** Ends the call, which then rejects with the signal's reason; it changes nothing about the job. */
  readonly signal?: AbortSignal;
}

/**
 * Rejects with the signal's reason as soon as it aborts. The requests that `work` makes end with it too; one that is just
 * being made when it aborts is missed by the SDK, so the call does not wait for its end.
 */
export async function abortable<T>(client: Client, { signal }: Abortable, work: () => Promise<T>): Promise<T> {
  if (signal === undefined) return await work();
  signal.throwIfAborted();
  return await new Promise<T>((resolve, reject) => {
    const end = (): void => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', end, { once: true });
    client
      .withAbortSignal(signal, work)
      .then(resolve, reject)
      .finally(() => {
        signal.removeEventListener('abort', end);
      });
  });
}
