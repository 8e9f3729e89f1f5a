import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { DevtoolsPipe } from '../../../infra/browser-node/chromium/pipe.js';
import type { ChromiumProcess } from '../../../infra/browser-node/chromium/process.js';
import { REPLACE_AFTER_MS, WarmPool } from '../../../infra/browser-node/warm-pool.js';
import { PassThrough } from 'node:stream';

const killed = new Set<number>();
const NEVER = new AbortController().signal;

// A stand-in, because a start that fails or hangs on command cannot be had from a real browser.
function fakeBrowser(pid: number): ChromiumProcess {
  const gone = { dead: Promise.resolve(), removed: Promise.resolve() };
  return {
    pid,
    profileFolder: `/p${pid}`,
    pipe: new DevtoolsPipe(new PassThrough(), new PassThrough()),
    version: { product: '', protocolVersion: '', userAgent: '', revision: '', jsVersion: '' },
    alive: true,
    exited: new Promise(() => undefined),
    probe: () => Promise.resolve(),
    kill: () => {
      killed.add(pid);
      return gone;
    },
  };
}

function poolOf(target: number, start: () => Promise<ChromiumProcess>): WarmPool {
  const pool = new WarmPool({ target, start, log: pino({ level: 'silent' }) });
  onTestFinished(() => pool.close());
  return pool;
}

test('a browser is handed out at most once and replaced in the background', async () => {
  let pid = 0;
  const pool = poolOf(2, () => Promise.resolve(fakeBrowser((pid += 1))));
  const taken = await Promise.all([1, 2, 3, 4, 5].map(() => pool.take(NEVER)));
  expect(new Set(taken.map((browser) => browser.pid)).size).toBe(5);
  await setImmediate();
  expect(pool.idle).toBe(2);
});

test('a taken browser is replaced at once when none is left, else a little later', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const start = vi.fn(() => Promise.resolve(fakeBrowser(start.mock.calls.length)));
  const pool = poolOf(2, start);
  await pool.take(NEVER);
  await vi.advanceTimersByTimeAsync(0);
  expect(pool.idle).toBe(2);

  const before = start.mock.calls.length;
  await pool.take(NEVER);
  await vi.advanceTimersByTimeAsync(REPLACE_AFTER_MS - 1);
  expect(start.mock.calls.length).toBe(before);
  await vi.advanceTimersByTimeAsync(1);
  expect(pool.idle).toBe(2);

  await Promise.all([pool.take(NEVER), pool.take(NEVER)]);
  await vi.advanceTimersByTimeAsync(0);
  expect(pool.idle).toBe(2);
});

test('B7: failing starts are not repeated in a hot loop, and takers are refused', async () => {
  const start = vi.fn(() => Promise.reject<ChromiumProcess>(new Error('no process ids left')));
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const pool = poolOf(1, start);
  const refused = expect(pool.take(NEVER)).rejects.toMatchObject({ code: 'browser_unavailable' });
  await vi.advanceTimersByTimeAsync(60_000);
  await refused;
  expect(pool.broken).toContain('no process ids left');
  // 250 ms doubling up to 10 s: 12 rounds in a minute, of up to two starts each.
  expect(start.mock.calls.length).toBeLessThanOrEqual(24);
});

test.each([0, 1])('a pool with %i warm browsers that recovers serves again', async (target) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let works = false;
  const pool = poolOf(target, () => {
    return works ? Promise.resolve(fakeBrowser(1)) : Promise.reject(new Error('not yet'));
  });
  const refused = expect(pool.take(NEVER)).rejects.toMatchObject({ code: 'browser_unavailable' });
  await vi.advanceTimersByTimeAsync(5_000);
  await refused;
  expect(pool.broken).toBe('not yet');
  works = true;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(pool.broken).toBeUndefined();
  expect((await pool.take(NEVER)).pid).toBe(1);
});

test('a taker that gives up is not served, and its browser stays for the next', async () => {
  const pending: ((browser: ChromiumProcess) => void)[] = [];
  const pool = poolOf(0, () => new Promise((resolve) => pending.push(resolve)));
  const leaving = new AbortController();
  const left = pool.take(leaving.signal);
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  const staying = pool.take(NEVER);
  for (const serve of pending) serve(fakeBrowser(7));
  expect((await staying).pid).toBe(7);
});

test('a browser whose taker has left is not kept beyond the target', async () => {
  const browser = fakeBrowser(101);
  let finish: (browser: ChromiumProcess) => void = () => undefined;
  const pool = poolOf(0, () => new Promise((resolve) => (finish = resolve)));
  const leaving = new AbortController();
  const left = pool.take(leaving.signal);
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  finish(browser);
  await setImmediate();
  expect(pool.idle).toBe(0);
  expect(killed.has(101)).toBe(true);
});

test('a browser that starts while the pool closes is killed', async () => {
  let finish: (browser: ChromiumProcess) => void = () => undefined;
  const pool = poolOf(0, () => new Promise((resolve) => (finish = resolve)));
  const refused = expect(pool.take(NEVER)).rejects.toMatchObject({ code: 'node_stopping' });
  const closed = pool.close();
  await refused;
  const browser = fakeBrowser(102);
  finish(browser);
  await closed;
  expect(killed.has(102)).toBe(true);
});
