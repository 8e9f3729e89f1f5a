import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { groupRuns, killGroup, openWorkFolder, type WorkFolder } from '../../../infra/work-folder/index.js';

const OWNER = fileURLToPath(new URL('owner.mjs', import.meta.url));

interface Owner {
  readonly process: ChildProcess;
  readonly path: string;
  /** The process group that it started. */
  readonly child: number;
}

let parent: string;
let owners: Owner[];

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'darkroom-work-folder-'));
  owners = [];
});
afterEach(async () => {
  for (const owner of owners) {
    await kill(owner);
    killGroup(owner.child);
  }
  await rm(parent, { recursive: true });
});

async function startOwner(): Promise<Owner> {
  const child = fork(OWNER, [parent], { execArgv: [] });
  const [told] = (await once(child, 'message')) as [Pick<Owner, 'path' | 'child'>];
  const owner = { process: child, ...told };
  owners.push(owner);
  return owner;
}

async function kill({ process: owner }: Owner): Promise<void> {
  if (owner.exitCode !== null || owner.signalCode !== null) return;
  owner.kill('SIGKILL');
  await once(owner, 'exit');
}

async function openHere(): Promise<WorkFolder> {
  return await openWorkFolder(parent, { prefix: 'test-', mention: (path) => `${path}/` }, pino({ enabled: false }));
}

test('Q39: of 20 owners that were killed in a row, the folder and the processes of the last one at most are left', async () => {
  for (let n = 0; n < 20; n += 1) {
    const owner = await startOwner();
    expect(await readdir(parent)).toEqual([basename(owner.path)]);
    await kill(owner);
    expect(await groupRuns(owner.child)).toBe(true);
  }
  const folder = await openHere();
  expect(await readdir(parent)).toEqual([basename(folder.path)]);
  expect(await Promise.all(owners.map(({ child }) => groupRuns(child)))).toEqual(owners.map(() => false));
});

test('what a live owner has, and what others keep in the same parent, stays', async () => {
  const owner = await startOwner();
  const others = ['test-of-someone', 'another'];
  for (const name of others) await mkdir(join(parent, name));
  const folder = await openHere();
  expect((await readdir(parent)).toSorted()).toEqual(
    [...others, basename(owner.path), basename(folder.path)].toSorted(),
  );
  expect(await groupRuns(owner.child)).toBe(true);
});

test('one process has as many folders as it opens, gives no part twice, and removes them with what is in them', async () => {
  const [one, two] = [await openHere(), await openHere()];
  const parts = [one.next(), one.next(), two.next()];
  expect(new Set(parts).size).toBe(3);
  for (const part of parts) await mkdir(part);
  await one.remove();
  expect(await readdir(parent)).toEqual([basename(two.path)]);
  await two.remove();
  expect(await readdir(parent)).toEqual([]);
});
