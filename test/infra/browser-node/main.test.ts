import { readdir } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startNode } from './node-process.js';
import {
  attempt,
  dial,
  eventually,
  runningIn,
  signalIfThere,
  startWorld,
  tempFolder,
  TOKEN,
  textWith,
} from './world.js';

async function settingsOf(
  extra: Record<string, string> = {},
): Promise<{ folder: string; settings: Record<string, string> }> {
  const folder = await tempFolder();
  const own = { DARKROOM_NODE_TOKEN: TOKEN, DARKROOM_NODE_MAX_SESSIONS: '2', DARKROOM_NODE_WARM: '1' };
  return { folder, settings: { ...own, DARKROOM_NODE_WORK_DIR: folder, ...extra } };
}

const session = (ready: { url: string }) => `${ready.url}?token=${TOKEN}`;

test('the process says once on stdout and by IPC that it is ready, and serves sessions', async () => {
  const { settings } = await settingsOf();
  const { child, ready, stdout, exited } = startNode(settings);
  const told = new Promise((resolve) => child.once('message', resolve));
  await dial(session(await ready));
  expect(await told).toEqual(await ready);
  child.kill('SIGTERM');
  await exited;
  expect(stdout()).toBe(`${JSON.stringify(await ready)}\n`);
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s ends sessions, browsers and folders, and the exit code is 0',
  async (signal) => {
    const { folder, settings } = await settingsOf();
    const { child, ready, exited } = startNode(settings);
    const { closed } = await dial(session(await ready));
    child.kill(signal);
    expect(await exited).toEqual({ code: 0, signal: null });
    expect(await closed).toMatchObject({ code: 1001, reason: textWith('node_stopping') });
    expect(await runningIn(folder)).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  },
);

test('a node whose parent goes away ends when it was told to', async () => {
  const { folder, settings } = await settingsOf({ DARKROOM_NODE_PARENT: 'ipc' });
  const { child, ready, exited } = startNode(settings);
  await ready;
  child.disconnect();
  expect(await exited).toEqual({ code: 0, signal: null });
  expect(await runningIn(folder)).toEqual([]);
});

test('browsers of a node that was SIGKILLed end by themselves, and the next start removes its folder', async () => {
  const { folder, settings } = await settingsOf();
  const { child, ready, exited } = startNode(settings);
  await dial(session(await ready));
  child.kill('SIGKILL');
  await exited;
  await eventually(async () => expect(await runningIn(folder)).toEqual([]));
  expect(await readdir(folder)).toHaveLength(1);
  const next = await startWorld({ workFolderParent: folder });
  expect(await readdir(folder)).toEqual([next.node.stats.workFolder.split('/').at(-1)]);
});

test('Q39: a crash loop never adds up browsers, not even ones that cannot end by themselves', async () => {
  const { folder, settings } = await settingsOf();
  for (let n = 0; n < 2; n += 1) {
    const { child, ready, exited } = startNode(settings);
    await ready;
    const stopped = await runningIn(folder);
    for (const pid of stopped) signalIfThere(pid, 'SIGSTOP');
    // A stopped browser outlives a test that fails.
    onTestFinished(() => {
      for (const pid of stopped) signalIfThere(pid, 'SIGKILL');
    });
    child.kill('SIGKILL');
    await exited;
  }
  const left = await runningIn(folder);
  expect(left.length).toBeGreaterThan(0);
  await startWorld({ workFolderParent: folder });
  const now = await runningIn(folder);
  expect(now.filter((pid) => left.includes(pid))).toEqual([]);
  expect(await readdir(folder)).toHaveLength(1);
});

test('two nodes under one parent folder leave each other alone', async () => {
  const first = await startWorld();
  await startWorld({ workFolderParent: first.folder });
  const { socket } = await dial(first.url());
  expect(socket.readyState).toBe(socket.OPEN);
});

test('SIGTERM during the start leaves nothing', async () => {
  const { folder, settings } = await settingsOf();
  const { child, exited } = startNode(settings);
  await eventually(async () => expect(await readdir(folder)).toHaveLength(1));
  child.kill('SIGTERM');
  expect(await exited).toEqual({ code: 0, signal: null });
  expect(await runningIn(folder)).toEqual([]);
  expect(await readdir(folder)).toEqual([]);
});

test('invalid settings are reported all at once by name, and the exit code is 2', async () => {
  const { stderr, exited } = startNode({ DARKROOM_NODE_PORT: 'http', DARKROOM_NODE_MAX_SESSIONS: '0' });
  expect(await exited).toEqual({ code: 2, signal: null });
  expect(stderr()).toContain('DARKROOM_NODE_TOKEN: is required');
  expect(stderr()).toContain('DARKROOM_NODE_PORT: must be a whole number');
  expect(stderr()).toContain('DARKROOM_NODE_MAX_SESSIONS: must be at least 1');
});

test('a browser that does not exist ends the start with exit code 1, and its name', async () => {
  const { settings } = await settingsOf({ DARKROOM_NODE_CHROMIUM: '/nowhere/chromium' });
  const { stderr, exited } = startNode(settings);
  expect(await exited).toEqual({ code: 1, signal: null });
  expect(stderr()).toContain('browser_not_found');
  expect(stderr()).toContain('/nowhere/chromium');
});

test('G8: the token is in nothing that the process writes', async () => {
  const { settings } = await settingsOf();
  const { child, ready, stdout, stderr, exited } = startNode(settings);
  await dial(session(await ready));
  await attempt(`${session(await ready)}&timeout=0`);
  child.kill('SIGTERM');
  await exited;
  expect(stdout() + stderr()).not.toContain(TOKEN);
});
