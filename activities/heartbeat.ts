import { Context } from '@temporalio/activity';

/** A fraction of the heartbeat time-outs (10 s): two that are missed say nothing, and a process that died is found soon. */
const HEARTBEAT_MS = 2_000;

/** Heartbeats as long as this process works on it, which also lets a cancel reach the activity. */
export async function heartbeating<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  const heartbeat = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
  }
}
