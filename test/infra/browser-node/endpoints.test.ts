import { expect, test } from 'vitest';
import { connect, dial, refusal, startWorld, TOKEN, textLike, textWith } from './world.js';

test('/json/version tells browser, protocol, user agent, node and fonts', async () => {
  const { http, node } = await startWorld();
  const answer = await (await http('/json/version')).json();
  expect(answer).toMatchObject({
    Browser: textLike(/Chrome\/\d+/),
    'Protocol-Version': textLike(/^\d+\.\d+$/),
    'User-Agent': textWith('Mozilla/5.0'),
    webSocketDebuggerUrl: `ws://127.0.0.1:${node.port}/chromium`,
    'Darkroom-Node': textLike(/^\d+\.\d+\.\d+$/),
  });
  expect(answer).toHaveProperty('Darkroom-Font-Set');
});

test('a driver connects by the http address as well', async () => {
  const { node } = await startWorld();
  const { chromium } = await import('playwright-core');
  const headers = { Authorization: `Bearer ${TOKEN}` };
  const browser = await chromium.connectOverCDP(`http://127.0.0.1:${node.port}`, { headers });
  expect(browser.isConnected()).toBe(true);
  await browser.close();
});

test('/pressure counts running sessions and refusals, and never queues', async () => {
  const { http, url } = await startWorld({ maxSessions: 1 });
  const pressure = async () => (await http('/pressure')).json();
  expect(await pressure()).toMatchObject({
    pressure: { isAvailable: true, running: 0, maxConcurrent: 1, queued: 0, maxQueued: 0 },
  });
  await dial(url());
  await refusal(url());
  expect(await pressure()).toMatchObject({ pressure: { isAvailable: false, running: 1, recentlyRejected: 1 } });
});

test('/sessions lists the live sessions by tracking id', async () => {
  const { http, node, url } = await startWorld();
  expect(await (await http('/sessions')).json()).toEqual([]);
  await connect(url({ trackingId: 'seen' }));
  expect(await (await http('/sessions')).json()).toEqual([
    expect.objectContaining({
      id: textLike(/^[a-z0-9]+$/),
      trackingId: 'seen',
      browser: textLike(/Chrome/),
      running: true,
      startedAt: textLike(/^\d{4}-/),
      killURL: `http://127.0.0.1:${node.port}/kill/seen`,
    }),
  ]);
});

test('/healthz tells a busy node from an unhealthy one', async () => {
  const { http, url } = await startWorld({ maxSessions: 1, warm: 0 });
  await dial(url());
  const answer = await http('/healthz');
  expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ status: 'busy' })]);
});

test('/metrics speaks the text format of Prometheus', async () => {
  const { http, url } = await startWorld();
  await dial(url());
  const text = await (await http('/metrics')).text();
  expect(text).toContain('darkroom_node_sessions_running 1\n');
  expect(text).toContain('# TYPE darkroom_node_sessions_opened_total counter\n');
});

test('a path that does not exist answers 404 and a wrong method 405', async () => {
  const { http } = await startWorld();
  expect((await http('/nothing')).status).toBe(404);
  expect((await http('/sessions', { method: 'POST' })).status).toBe(405);
});
