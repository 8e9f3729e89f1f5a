import { expect, test } from 'vitest';
import { dial, refusal, startWorld, TOKEN } from './world.js';

const GUARDED = ['/', '/json/version', '/pressure', '/sessions', '/metrics', '/kill/some-id', '/nothing/here'];

test('G9: every endpoint but the liveness probe asks for the token', async () => {
  const { node } = await startWorld();
  for (const path of GUARDED) {
    for (const query of ['', '?token=wrong', '?token=']) {
      const answer = await fetch(`http://127.0.0.1:${node.port}${path}${query}`);
      expect([path, query, answer.status]).toEqual([path, query, 401]);
    }
  }
  expect((await fetch(`http://127.0.0.1:${node.port}/healthz`)).status).toBe(200);
});

test('G9: a kill without the token kills nothing', async () => {
  const { node, url } = await startWorld();
  await dial(url({ trackingId: 'safe' }));
  expect((await fetch(`http://127.0.0.1:${node.port}/kill/safe`, { method: 'DELETE' })).status).toBe(401);
  expect(node.stats.running).toBe(1);
});

test('G9: a session without the right token is refused', async () => {
  const { node } = await startWorld();
  expect(await refusal(node.url)).toMatchObject({ status: 401, code: 'unauthorized' });
  expect(await refusal(`${node.url}?token=wrong`)).toMatchObject({ status: 401 });
  expect(await refusal(node.url, { Authorization: 'Bearer wrong' })).toMatchObject({ status: 401 });
});

test('the token may come as a bearer', async () => {
  const { node } = await startWorld();
  await dial(node.url, { Authorization: `Bearer ${TOKEN}` });
});

test('G9: a web page cannot drive the node, not even with the token', async () => {
  const { url } = await startWorld();
  const refused = await refusal(url(), { Origin: 'http://tenant.test' });
  expect(refused).toMatchObject({ status: 403, code: 'origin_forbidden' });
  expect(refused.body).toContain('Origin');
});

test('G9: a browser opens no debugging port', async () => {
  const { node, url } = await startWorld();
  await dial(url());
  const { readFile } = await import('node:fs/promises');
  const [pid] = node.stats.browserPids;
  const line = await readFile(`/proc/${pid}/cmdline`, 'utf8');
  expect(line).toContain('--remote-debugging-pipe');
  expect(line).not.toContain('--remote-debugging-port');
});

test('G8: the browser does not know the token of the node', async () => {
  process.env['DARKROOM_NODE_TOKEN'] = TOKEN;
  try {
    const { node, url } = await startWorld();
    await dial(url());
    const { readFile } = await import('node:fs/promises');
    const [pid] = node.stats.browserPids;
    expect(await readFile(`/proc/${pid}/environ`, 'utf8')).not.toContain(TOKEN);
  } finally {
    delete process.env['DARKROOM_NODE_TOKEN'];
  }
});

test('sessions are opened at the known paths only', async () => {
  const { url } = await startWorld();
  expect(await refusal(url().replace('/chromium', '/firefox'))).toMatchObject({ status: 404, code: 'not_found' });
});
