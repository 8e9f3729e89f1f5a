import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { startStack } from '../../../infra/stack/index.js';
import { isAlive, isListening } from './left-behind.js';

const PARTS = ['postgres', 'objectStore'] as const;

test('two stacks run side by side, and each leaves nothing behind', async () => {
  const stacks = await Promise.all([startStack({ parts: PARTS }), startStack({ parts: PARTS })]);
  const urls = stacks.flatMap(({ services }) => [services.postgres.url, services.objectStore.endpoint]);
  const pids = stacks.flatMap(({ services }) => [services.postgres.pid, services.objectStore.pid]);
  expect(new Set(urls.map((url) => new URL(url).port)).size).toBe(4);
  expect(await Promise.all(urls.map(isListening))).toEqual([true, true, true, true]);

  await Promise.all(stacks.map((stack) => stack.stop()));
  expect(await Promise.all(urls.map(isListening))).toEqual([false, false, false, false]);
  expect(pids.filter(isAlive)).toEqual([]);
  expect(stacks.map(({ folder }) => existsSync(folder))).toEqual([false, false]);
});

test('a service that dies by itself is told, and the rest can still be stopped', async () => {
  const stack = await startStack({ parts: PARTS });
  process.kill(stack.services.objectStore.pid, 'SIGKILL');
  await expect(stack.failure).resolves.toMatchObject({
    service: 'object-store',
    message: expect.stringContaining('was ended by SIGKILL') as string,
  });
  await stack.stop();
  expect(isAlive(stack.services.postgres.pid)).toBe(false);
  expect(existsSync(stack.folder)).toBe(false);
});

test('a start that is aborted ends what it had started', async () => {
  const abort = new AbortController();
  const said: string[] = [];
  const starting = startStack({
    parts: PARTS,
    signal: abort.signal,
    report: (line) => {
      said.push(line);
      abort.abort(new Error('no more'));
    },
  });
  await expect(starting).rejects.toThrow('no more');
  expect(said).toHaveLength(1);
});

test('a data folder outlives its stack', async () => {
  const data = dataFolder(0o711);
  const first = await startStack({ parts: ['postgres'], data });
  await run(first.services.postgres.url, 'create table kept ()');
  await first.stop();
  expect(existsSync(first.folder)).toBe(false);
  const second = await startStack({ parts: ['postgres'], data });
  await run(second.services.postgres.url, 'select from kept');
  await second.stop();
});

test.runIf(process.getuid?.() === 0)("a data folder closed to Postgres' user is refused with what to do", async () => {
  const data = dataFolder(0o700);
  await expect(startStack({ parts: ['postgres'], data })).rejects.toThrow(`chmod o+x ${data}`);
});

function dataFolder(mode: number): string {
  const data = mkdtempSync(join(tmpdir(), 'darkroom-data-'));
  chmodSync(data, mode);
  onTestFinished(() => {
    rmSync(data, { recursive: true });
  });
  return data;
}

async function run(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(statement);
  await client.end();
}
