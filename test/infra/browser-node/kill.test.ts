import { expect, test } from 'vitest';
import {
  dial,
  emptied,
  eventually,
  gatedChromium,
  profiles,
  refusal,
  runningIn,
  startWorld,
  textWith,
} from './world.js';

test('a kill by tracking id ends the session and answers when its processes are dead', async () => {
  const { node, folder, http, url } = await startWorld({ warm: 0 });
  const { closed } = await dial(url({ trackingId: 'victim' }));
  const answer = await http('/kill/victim', { method: 'DELETE' });
  expect(answer.status).toBe(204);
  expect(await runningIn(folder)).toEqual([]);
  expect(await profiles(node)).toEqual([]);
  expect(node.stats.running).toBe(0);
  expect(await closed).toEqual({ code: 4001, reason: textWith('killed') });
});

test('a kill may be a GET', async () => {
  const { http, url } = await startWorld();
  await dial(url({ trackingId: 'victim' }));
  expect((await http('/kill/victim')).status).toBe(204);
});

test('a session without a tracking id is killed by its own id', async () => {
  const { node, http, url } = await startWorld();
  await dial(url());
  const sessions: unknown = await (await http('/sessions')).json();
  const [, path = ''] = /(\/kill\/[^"]+)/.exec(JSON.stringify(sessions)) ?? [];
  expect((await http(path)).status).toBe(204);
  expect(node.stats.running).toBe(0);
});

test('a killed tracking id never opens again', async () => {
  const { node, http, url } = await startWorld();
  await dial(url({ trackingId: 'once' }));
  await http('/kill/once');
  expect(await refusal(url({ trackingId: 'once' }))).toMatchObject({ status: 409, code: 'tracking_id_barred' });
  expect(node.stats.events.at(-1)).toMatchObject({
    event: 'refused',
    trackingId: 'once',
    reason: 'tracking_id_barred',
  });
});

test('killing an unknown id answers 404 and bars it, so that a late dial does not open', async () => {
  const { http, url } = await startWorld();
  const answer = await http('/kill/late');
  expect([answer.status, await answer.json()]).toEqual([404, expect.objectContaining({ code: 'session_unknown' })]);
  expect(await refusal(url({ trackingId: 'late' }))).toMatchObject({ status: 409, code: 'tracking_id_barred' });
});

test('a kill that meets a session still being opened wins', async () => {
  const { path, closeGate } = await gatedChromium();
  const { node, http, url } = await startWorld({ warm: 0, chromiumPath: path });
  await closeGate();
  const refused = refusal(url({ trackingId: 'early' }));
  await eventually(() => expect(node.stats.running).toBe(1));
  expect((await http('/kill/early')).status).toBe(204);
  expect(await refused).toMatchObject({ status: 409, code: 'tracking_id_barred' });
  await emptied(node);
});

test('a live tracking id is refused', async () => {
  const { url } = await startWorld();
  await dial(url({ trackingId: 'twin' }));
  expect(await refusal(url({ trackingId: 'twin' }))).toMatchObject({ status: 409, code: 'tracking_id_live' });
});

test('two racing kills of one session both succeed', async () => {
  const { http, url } = await startWorld();
  await dial(url({ trackingId: 'victim' }));
  const answers = await Promise.all([http('/kill/victim'), http('/kill/victim', { method: 'DELETE' })]);
  expect(answers.map(({ status }) => status)).toEqual([204, 204]);
});

test('tracking ids of other shapes are refused', async () => {
  const { url } = await startWorld();
  for (const trackingId of ['a'.repeat(32), 'with space', 'slash/inside', '', 'ümlaut']) {
    expect(await refusal(url({ trackingId }))).toMatchObject({ status: 400, code: 'tracking_id_invalid' });
  }
});
