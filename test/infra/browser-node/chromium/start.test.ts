import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startChromium } from '../../../../infra/browser-node/chromium/process.js';
import { findChromium } from '../../../../infra/browser-node/index.js';
import { gatedChromium, runningIn, tempFolder } from '../world.js';

test('a start that is given up while its folder is made ends at once, and leaves nothing', async () => {
  const { path, closeGate } = await gatedChromium();
  await closeGate();
  const folder = await tempFolder();
  const binary = { ...(await findChromium()), path };
  const flags = { binary, profileFolder: join(folder, 'p1'), noSandbox: true, smallSharedMemory: false };
  const stop = new AbortController();
  // Longer than the test may take: only giving up ends it.
  const starting = startChromium(flags, 120_000, stop.signal);
  stop.abort();
  await expect(starting).rejects.toMatchObject({ code: 'browser_unavailable' });
  expect(await runningIn(folder)).toEqual([]);
});
