import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { findChromium } from '../../../../infra/browser-node/index.js';
import { tempFolder } from '../world.js';

afterEach(() => vi.unstubAllEnvs());

async function program(folder: string, name: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, '#!/bin/sh\n');
  await chmod(path, 0o755);
  return path;
}

async function withoutPlaywrightsOwn(path: string): Promise<void> {
  vi.stubEnv('PLAYWRIGHT_BROWSERS_PATH', await tempFolder());
  vi.stubEnv('PATH', path);
}

test('a browser that was set is taken, and nothing else when it does not exist', async () => {
  const path = await program(await tempFolder(), 'chrome');
  expect(await findChromium(path)).toEqual({ path, source: 'setting', headlessShell: false });
  await expect(findChromium('/nowhere')).rejects.toMatchObject({ code: 'browser_not_found' });
});

test('on the system a headless shell is preferred to a full browser', async () => {
  const folder = await tempFolder();
  await program(folder, 'chromium');
  const shell = await program(folder, 'chromium-headless-shell');
  await withoutPlaywrightsOwn(folder);
  expect(await findChromium()).toEqual({ path: shell, source: 'system', headlessShell: true });
});

test('the error names every place that was tried', async () => {
  await withoutPlaywrightsOwn(await tempFolder());
  await expect(findChromium()).rejects.toThrow(/Playwright's own.*chrome-headless-shell.*PATH.*@sparticuz\/chromium/s);
});

test("Playwright's own browser goes before the system's", async () => {
  const cache = await tempFolder();
  const system = await tempFolder();
  await program(system, 'chromium-headless-shell');
  vi.stubEnv('PLAYWRIGHT_BROWSERS_PATH', cache);
  vi.stubEnv('PATH', system);
  const { chromium } = await import('playwright-core');
  const own = chromium.executablePath();
  await mkdir(dirname(own), { recursive: true });
  await program(dirname(own), basename(own));
  expect(await findChromium()).toEqual({ path: own, source: 'playwright', headlessShell: false });
});
