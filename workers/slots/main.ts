import { rmSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Deadline, JobFailure, loadPlaywright, messageOf, NeverOpened, NodeRefusal } from '../../activities/slot.js';
import { readConfiguration } from '../configuration/index.js';
import type { FromSlot, SlotFailure, ToSlot } from './protocol.js';
import { createRenderer } from './renderer.js';

/** Entry of a slot process: it answers its render worker's calls, one session at a time, and ends with it. */
const renderer = createRenderer(readConfiguration(process.env));
const running = new Map<number, AbortController>();
/** For temporary files; the worker removes it when this process has ended. */
const folder = process.argv[2];

process.on('message', (message: ToSlot) => {
  if (message.type === 'ping') send({ type: 'pong', rssBytes: process.memoryUsage.rss() });
  if (message.type === 'abort') running.get(message.id)?.abort(new JobFailure(message.code));
  if (message.type === 'call') void answer(message);
});
process.on('disconnect', () => {
  // The worker has died, and with it who would remove this slot's folder.
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
// A terminal sends Ctrl-C to all; the worker decides when its slots end.
process.on('SIGINT', () => undefined);
await loadPlaywright(); // Before the first job needs it.
send({ type: 'ready' });

async function answer(call: Extract<ToSlot, { type: 'call' }>): Promise<void> {
  const abort = new AbortController();
  const deadline = Deadline.after(call.ms, 'attempt_timeout', abort.signal);
  running.set(call.id, abort);
  try {
    send({ type: 'answer', id: call.id, output: await run(deadline, call) });
  } catch (error) {
    send({ type: 'failed', id: call.id, failure: failureOf(error) });
  } finally {
    running.delete(call.id);
    deadline.stop();
  }
}

async function run(deadline: Deadline, call: Extract<ToSlot, { type: 'call' }>): Promise<unknown> {
  switch (call.op) {
    case 'open':
      await empty();
      return await renderer.open(deadline, call.input);
    case 'capture':
      return await renderer.capture(deadline, call.input);
    case 'close': {
      const closed = await renderer.close(deadline, call.input.how);
      await empty();
      return closed;
    }
  }
}

/** Before and after each session: no file of one is there for the next, or takes its space. */
async function empty(): Promise<void> {
  if (folder === undefined) return;
  const names = await readdir(folder);
  await Promise.all(names.map((name) => rm(join(folder, name), { recursive: true, force: true })));
}

function failureOf(error: unknown): SlotFailure {
  if (error instanceof NeverOpened) {
    return { type: 'never_opened', code: error.code, detail: error.detail };
  }
  if (error instanceof JobFailure) {
    const { code, detail, evidence, steps } = error;
    return { type: 'failure', code, detail, evidence, steps };
  }
  if (error instanceof NodeRefusal) return { type: 'refusal', status: error.status };
  return { type: 'defect', name: error instanceof Error ? error.name : 'Error', message: messageOf(error) };
}

function send(message: FromSlot): void {
  process.send?.(message);
}
