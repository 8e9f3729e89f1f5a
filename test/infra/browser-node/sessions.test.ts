import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import {
  attempt,
  command,
  connect,
  dial,
  emptied,
  eventually,
  gatedChromium,
  profiles,
  refusal,
  startWorld,
  textWith,
} from './world.js';

const CARD = '<style>body{margin:0;background:#0a7}</style><h1>card</h1>';

test('a driver connects over CDP and takes a screenshot', async () => {
  const { url } = await startWorld();
  const browser = await connect(url({ trackingId: 'job-1' }));
  const page = await (await browser.newContext()).newPage();
  await page.setContent(CARD);
  const png = await page.screenshot();
  expect(png.subarray(1, 4).toString()).toBe('PNG');
});

test('the plain path opens a session too', async () => {
  const { url } = await startWorld();
  const { socket } = await dial(url().replace('/chromium', '/'));
  expect(await command(socket, 1, 'Browser.getVersion')).toHaveProperty('result.product');
});

test('C13: two sessions are two processes and share no cookies', async () => {
  const { node, url } = await startWorld();
  const [one, two] = await Promise.all([connect(url()), connect(url())]);
  const [first, second] = node.stats.browserPids;
  expect(node.stats.browserPids).toHaveLength(2);
  expect(first).not.toBe(second);
  const cookie = { name: 'who', value: 'tenant-1', url: 'http://example.test/' };
  await one.contexts()[0]?.addCookies([cookie]);
  expect(await one.contexts()[0]?.cookies()).toHaveLength(1);
  expect(await two.contexts()[0]?.cookies()).toEqual([]);
});

test('the session over capacity gets 429 with Retry-After, and a driver sees the status', async () => {
  const { url } = await startWorld({ maxSessions: 1 });
  await dial(url());
  expect(await refusal(url())).toMatchObject({ status: 429, code: 'at_capacity', headers: { 'retry-after': '1' } });
  await expect(connect(url())).rejects.toThrow('429');
});

test('twenty racing dials on two slots open exactly two', async () => {
  const { node, url } = await startWorld();
  const answers = await Promise.all(Array.from({ length: 20 }, () => attempt(url())));
  expect(answers.filter((answer) => 'socket' in answer)).toHaveLength(2);
  expect(answers.filter((answer) => 'status' in answer && answer.status === 429)).toHaveLength(18);
  expect(Math.max(...node.stats.events.map(({ running }) => running))).toBe(2);
});

test('C4: after the client has closed, the slot is back and the profile is gone', async () => {
  const { node, url } = await startWorld({ maxSessions: 1, warm: 0 });
  const { socket } = await dial(url({ trackingId: 'gone' }));
  // Beside it, the profile of the browser that the node tried at its start may still be on its way out.
  await eventually(async () => expect(await profiles(node)).toHaveLength(1));
  socket.close();
  await emptied(node);
  await eventually(async () => expect(await profiles(node)).toEqual([]));
  expect(node.stats.events.at(-1)).toMatchObject({
    event: 'close',
    trackingId: 'gone',
    reason: 'client_closed',
    running: 0,
  });
  await dial(url({ trackingId: 'gone' }));
});

test('C4: a connection cut without a goodbye ends the session', async () => {
  const { node, url } = await startWorld();
  for (let n = 0; n < 5; n += 1) {
    const { socket } = await dial(url());
    socket.terminate();
    await emptied(node);
  }
  expect(node.stats.events.filter(({ event }) => event === 'open')).toHaveLength(5);
});

test('a client that leaves before it was connected frees its slot', async () => {
  const { path, closeGate } = await gatedChromium();
  const { node, url } = await startWorld({ maxSessions: 1, warm: 0, chromiumPath: path });
  await closeGate();
  const socket = new WebSocket(url());
  socket.on('error', () => undefined);
  await eventually(() => expect(node.stats.running).toBe(1));
  socket.terminate();
  await emptied(node);
  await eventually(() => expect(node.stats.events).toHaveLength(1));
  expect(node.stats.events[0]).toMatchObject({ event: 'refused', reason: 'client_gone', running: 0 });
});

test('closing one session leaves another one alone', async () => {
  const { node, url } = await startWorld();
  const staying = await connect(url({ trackingId: 'staying' }));
  const page = await (await staying.newContext()).newPage();
  const { socket } = await dial(url({ trackingId: 'leaving' }));
  socket.terminate();
  await eventually(() => expect(node.stats.running).toBe(1));
  expect(await page.evaluate('1 + 1')).toBe(2);
});

test('a message of 20 MB reaches the browser', async () => {
  const { url } = await startWorld();
  const { socket } = await dial(url());
  const padding = 'x'.repeat(20_000_000);
  expect(await command(socket, 1, 'Browser.getVersion', { padding })).toHaveProperty('result.product');
});

test('a message of 20 MB reaches the client', async () => {
  const { url } = await startWorld();
  const page = await (await (await connect(url())).newContext()).newPage();
  const text: unknown = await page.evaluate('"x".repeat(20_000_000)');
  expect(typeof text === 'string' && text.length).toBe(20_000_000);
});

test('C11: the session limit closes the socket with a reason that names it', async () => {
  const { node, url } = await startWorld({ sessionLimitMs: 150 });
  const { closed } = await dial(url({ trackingId: 'late' }));
  expect(await closed).toEqual({ code: 4008, reason: textWith('session_limit') });
  await emptied(node);
  expect(node.stats.events.at(-1)).toMatchObject({ event: 'close', reason: 'session_limit' });
});

test('C11: a client may lower the session limit', async () => {
  const { url } = await startWorld();
  const { closed } = await dial(url({ timeout: '100' }));
  expect(await closed).toMatchObject({ code: 4008, reason: textWith('100 ms') });
});

test('C11: a client cannot raise the session limit', async () => {
  const { url } = await startWorld({ sessionLimitMs: 120 });
  const { closed } = await dial(url({ timeout: '1000000000000' }));
  expect(await closed).toMatchObject({ code: 4008, reason: textWith('120 ms') });
});

test('C12: a timeout that is no whole number above 0 is refused', async () => {
  const { url } = await startWorld();
  for (const timeout of ['0', '-1', 'soon', '1.5', '', '1e3']) {
    expect(await refusal(url({ timeout }))).toMatchObject({ status: 400, code: 'timeout_invalid' });
  }
});
