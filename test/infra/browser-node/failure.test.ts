import { chmod, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findChromium } from '../../../infra/browser-node/index.js';
import {
  command,
  connect,
  dial,
  emptied,
  eventually,
  ownZombies,
  profiles,
  refusal,
  runningIn,
  signalIfThere,
  startWorld,
  tempFolder,
  textWith,
} from './world.js';

test('C1: a browser that dies disconnects its client, and the slot comes back', async () => {
  const { node, url } = await startWorld({ maxSessions: 1 });
  const browser = await connect(url());
  const disconnected = new Promise((resolve) => browser.once('disconnected', resolve));
  process.kill(-(node.stats.browserPids[0] ?? 0), 'SIGKILL');
  await disconnected;
  await emptied(node);
  expect(node.stats.events.at(-1)).toMatchObject({ event: 'close', reason: 'browser_crashed', running: 0 });
  await dial(url());
});

test('C1: the close code of a dead browser is its own', async () => {
  const { node, url } = await startWorld();
  const { closed } = await dial(url());
  process.kill(-(node.stats.browserPids[0] ?? 0), 'SIGKILL');
  expect(await closed).toEqual({ code: 4011, reason: textWith('browser_crashed') });
});

test('C1: a browser that ends itself on request counts as ended', async () => {
  const { node, url } = await startWorld();
  const { socket } = await dial(url());
  void command(socket, 1, 'Browser.close');
  await emptied(node);
});

test('C8, C9: after twenty SIGKILLs no process, zombie or folder is left', async () => {
  const { node, folder, url } = await startWorld({ maxSessions: 4, warm: 2 });
  for (let round = 0; round < 5; round += 1) {
    const dialled = await Promise.all([1, 2, 3, 4].map(() => dial(url())));
    for (const pid of node.stats.browserPids) process.kill(-pid, 'SIGKILL');
    await Promise.all(dialled.map(({ closed }) => closed));
    await emptied(node);
  }
  expect(node.stats.events.filter(({ reason }) => reason === 'browser_crashed')).toHaveLength(20);
  await node.close();
  expect(await runningIn(folder)).toEqual([]);
  await eventually(async () => expect(await ownZombies()).toEqual([]));
});

test('B1: a stopped browser in the pool is found by a probe and replaced', async () => {
  const { node, folder } = await startWorld({ warm: 1, probeEveryMs: 2_500 });
  const before = await runningIn(folder);
  for (const pid of before) signalIfThere(pid, 'SIGSTOP');
  await eventually(async () => {
    const now = await runningIn(folder);
    expect(now.some((pid) => before.includes(pid))).toBe(false);
    expect(node.stats.warm).toBe(1);
  });
  expect(node.stats.health.status).toBe('ok');
});

test('a warm browser that dies is replaced and its folder removed', async () => {
  const { node, folder, url } = await startWorld({ warm: 1 });
  const before = await profiles(node);
  for (const pid of await runningIn(folder)) signalIfThere(pid, 'SIGKILL');
  await eventually(async () => {
    expect(node.stats.warm).toBe(1);
    expect(await profiles(node)).toHaveLength(1);
    expect(await profiles(node)).not.toEqual(before);
  });
  await dial(url());
});

test('B7: a host that cannot start browsers makes the node unhealthy, and dials are refused', async () => {
  const binary = await findChromium();
  const copy = join(await tempFolder(), 'chromium-headless-shell');
  await copyFile(binary.path, copy);
  await chmod(copy, 0o755);
  const { http, node, url } = await startWorld({ chromiumPath: copy, warm: 0 });
  await chmod(copy, 0o644);
  for (let n = 0; n < 3; n += 1)
    expect(await refusal(url())).toMatchObject({ status: 503, code: 'browser_unavailable' });
  expect((await http('/healthz')).status).toBe(503);
  expect(node.stats.running).toBe(0);
});
