import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withLock } from '../../../infra/setup/lock.mjs';

const quiet = (): void => undefined;

let folder: string;
let lock: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'darkroom-lock-'));
  lock = join(folder, 'below', 'setup.lock');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('only one at a time works under a lock, and nothing is left of it', async () => {
  let inside = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    most = Math.max(most, ++inside);
    await new Promise(setImmediate);
    inside -= 1;
  };
  await Promise.all(Array.from({ length: 5 }, () => withLock(lock, quiet, work)));
  expect(most).toBe(1);
  expect(readdirSync(join(folder, 'below'))).toEqual([]);
});

test('the lock is given back when the work fails', async () => {
  await expect(withLock(lock, quiet, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(existsSync(lock)).toBe(false);
});

test('whoever waits is told for whom', async () => {
  const said: string[] = [];
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const first = withLock(lock, quiet, () => held);
  const report = (line: string): void => {
    said.push(line);
    release();
  };
  await expect(withLock(lock, report, () => Promise.resolve('mine'))).resolves.toBe('mine');
  await first;
  expect(said).toEqual([`waiting for process ${process.pid}, which does the same`]);
});

test('the lock of a process that died is taken over', async () => {
  await withLock(lock, quiet, () => Promise.resolve()); // Makes the folder.
  const { pid } = spawnSync('true');
  writeFileSync(lock, `${pid} 12345`);
  await expect(withLock(lock, quiet, () => Promise.resolve('mine'))).resolves.toBe('mine');
});

test('a process that only got the process id of the dead holder does not keep the lock', async () => {
  await withLock(lock, quiet, () => Promise.resolve());
  writeFileSync(lock, `${process.pid} 1`);
  await expect(withLock(lock, quiet, () => Promise.resolve('mine'))).resolves.toBe('mine');
});
