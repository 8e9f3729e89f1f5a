import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { watchPulse } from '../../../activities/session/pulse.js';
import { findChromium } from '../../support/chromium.js';

const TIMES = { everyMs: 20, silentMs: 1_000 };

/** A browser process as a node has it, dialled as a slot does. */
async function ownBrowser() {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-pulse-'));
  const flags = ['--no-sandbox', '--disable-gpu', '--remote-debugging-port=0', `--user-data-dir=${folder}`];
  // A group of its own: on some machines the program is a script that starts the browser.
  const child = spawn(findChromium(), flags, { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  const signal = (name: 'SIGSTOP' | 'SIGKILL'): void => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, name);
  };
  const exited = new Promise((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    signal('SIGKILL');
    await exited;
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });
  for await (const line of createInterface(child.stderr)) {
    const address = /^DevTools listening on (ws:.*)$/.exec(line)?.[1];
    if (address !== undefined) return { signal, browser: await chromium.connectOverCDP(address) };
  }
  throw new Error('The browser ended before it listened.');
}

test('a browser process that was stopped is noticed, and fails as connection_lost', async () => {
  const { signal, browser } = await ownBrowser();
  const pulse = watchPulse(browser, new AbortController().signal, TIMES);
  const context = await browser.newContext(); // It answers until it is stopped.
  await context.close();
  signal('SIGSTOP');
  await expect(pulse).rejects.toMatchObject({ name: 'JobFailure', code: 'connection_lost' });
  await expect(pulse).rejects.toThrow('no sign of life for 1000 ms');
});

test('a page that spins does not silence its browser, and the watch ends with its signal', async () => {
  const { browser } = await ownBrowser();
  const page = await browser.newPage();
  await page.evaluate('setTimeout(() => { for (;;); })');
  const done = new AbortController();
  const pulse = watchPulse(browser, done.signal, TIMES);
  const session = await browser.newBrowserCDPSession();
  for (let beats = 0; beats < 50; beats += 1) await session.send('Browser.getVersion');
  done.abort();
  await expect(pulse).resolves.toBeUndefined();
});

test('a connection that ends meanwhile ends the watch with an error', async () => {
  const { signal, browser } = await ownBrowser();
  const pulse = watchPulse(browser, new AbortController().signal, TIMES);
  signal('SIGKILL');
  await expect(pulse).rejects.toThrow(/closed|disconnected/);
});
