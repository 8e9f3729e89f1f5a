import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { isAlive, isListening } from './left-behind.js';

const STACK_PROCESS = fileURLToPath(new URL('./stack-process.mjs', import.meta.url));

interface Started {
  readonly folder: string;
  readonly pids: readonly number[];
  readonly urls: readonly string[];
}

let stack: ChildProcess;
afterEach(() => {
  stack.kill('SIGKILL');
});

test('a stack whose process is killed leaves no process, port or folder', async () => {
  const { folder, pids, urls } = await start();
  expect(pids.map(isAlive)).toEqual([true, true]);
  stack.kill('SIGKILL');
  await removed(folder);
  expect(pids.filter(isAlive)).toEqual([]);
  expect(await Promise.all(urls.map(isListening))).toEqual([false, false]);
});

test('the guardian also ends what left its process group and was never reported', async () => {
  const { folder, pids } = await start('runaway');
  expect(pids.map(isAlive)).toEqual([true]);
  stack.kill('SIGKILL');
  await removed(folder);
  expect(pids.filter(isAlive)).toEqual([]);
});

/** The last thing that the guardian does. */
async function removed(folder: string): Promise<void> {
  await vi.waitUntil(() => !existsSync(folder), { timeout: 20_000 });
}

function start(...args: readonly string[]): Promise<Started> {
  stack = spawn(process.execPath, [STACK_PROCESS, ...args], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  return started(stack);
}

function started(stack: ChildProcess): Promise<Started> {
  return new Promise((resolve, reject) => {
    stack.once('message', (message) => {
      resolve(message as Started);
    });
    stack.once('exit', (code) => {
      reject(new Error(`the stack's process ended with exit code ${String(code)}`));
    });
  });
}
