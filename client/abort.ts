import type { Client } from '@temporalio/client';

export interface Abortable {
  /** Ends the call, which then rejects with the signal's reason; it changes nothing about the job. */
  readonly signal?: AbortSignal;
}

/** Every request to Temporal that `work` makes ends with the signal. */
export async function abortable<T>(client: Client, { signal }: Abortable, work: () => Promise<T>): Promise<T> {
  if (signal === undefined) return await work();
  signal.throwIfAborted();
  try {
    return await client.withAbortSignal(signal, work);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
