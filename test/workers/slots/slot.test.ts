import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Deadline } from '../../../activities/index.js';
import { Slot } from '../../../workers/slots/index.js';

const MEMORY_MB = 300;
const job = { kind: 'page_screenshot', input: {} } as never;

let folder: string;
let slot: Slot;
let neighbour: Slot;
let deadline: Deadline;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-slot-test-'));
  [slot, neighbour] = await Promise.all([start('one'), start('two')]);
  deadline = Deadline.after(60_000, 'attempt_timeout');
});
afterEach(async () => {
  deadline.stop();
  for (const each of [slot, neighbour]) each.kill();
  await Promise.all([slot.exited, neighbour.exited]);
  await rm(folder, { recursive: true });
});

async function start(name: string): Promise<Slot> {
  return await Slot.start({
    program: new URL('unruly-slot.mjs', import.meta.url),
    environment: process.env,
    folder: join(folder, name),
    memoryMb: MEMORY_MB,
  });
}

/** The program takes what it is to do in place of the node's name. */
async function open(which: Slot, misbehaviour: string): Promise<unknown> {
  return await which.call(deadline, 'open', { job, node: misbehaviour, reservation: 'r', sessionMs: 1_000 });
}

test.each([
  ['a crash', 'crashes', 'The slot process ended with exit code 7.'],
  ['an unhandled rejection', 'rejects', 'The slot process ended with exit code 1.'],
  [
    'a full heap',
    'fillsHeap',
    'The slot process was ended by SIGABRT, most likely for want of memory: see render.slotMemoryMb.',
  ],
  [
    'more memory than the limit',
    'fillsBuffers',
    /^The slot process held \d+ MiB, more than render\.slotMemoryMb, 300 MiB, and was killed\.$/,
  ],
])(
  '%s in one slot fails its call with how it ended, and leaves the other slot and no file',
  async (_, misbehaviour, detail) => {
    await writeFile(join(folder, 'one', 'left'), 'over');
    const failed = open(slot, misbehaviour);
    const detailMatches: unknown = typeof detail === 'string' ? detail : expect.stringMatching(detail);
    await expect(failed).rejects.toMatchObject({ code: 'worker_lost', detail: detailMatches });
    await slot.exited;
    expect(existsSync(join(folder, 'one'))).toBe(false);
    await expect(open(neighbour, 'answers')).resolves.toEqual({ browser: 'none' });
  },
);

test('a slot that has ended refuses the next call with the reason', async () => {
  await expect(open(slot, 'crashes')).rejects.toMatchObject({ code: 'worker_lost' });
  await expect(open(slot, 'answers')).rejects.toMatchObject({ detail: 'The slot process ended with exit code 7.' });
});
