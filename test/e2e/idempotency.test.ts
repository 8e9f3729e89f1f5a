import { afterAll, beforeAll, expect, test } from 'vitest';
import { submitSimple, untilIdle } from '../support/jobs.js';
import { startWorld, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world.close();
});

test('the same key submitted 20 times at once is one execution, one result and 20 equal answers', async () => {
  const handles = await Promise.all(Array.from({ length: 20 }, () => submitSimple(world, { key: 'same' })));
  expect(new Set(handles.map(({ id }) => id)).size).toBe(1);
  const outcomes = await Promise.all(handles.map((handle) => handle.wait()));
  expect(outcomes[0]).toMatchObject({ status: 'succeeded' });
  for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0]);
  expect(await world.objects()).toHaveLength(1);
  const ledger = await world.capacity.ledger();
  expect(ledger.filter(({ event }) => event === 'granted')).toHaveLength(1);
  expect(ledger.filter(({ event }) => event === 'committed')).toHaveLength(1);
  await untilIdle(world);
});

test('a finished job is returned, not run again', async () => {
  const first = await submitSimple(world, { key: 'finished' });
  const outcome = await first.wait();
  const again = await submitSimple(world, { key: 'finished' });
  expect(await again.wait()).toEqual(outcome);
});

test('the same key with another input is refused', async () => {
  await (await submitSimple(world, { key: 'conflict' })).wait();
  await expect(
    world.darkroom.submit('page_screenshot', {
      input: { target: { base: 'pages', path: '/simple.html' }, area: { type: 'full_page' } },
      workspace: 'w1',
      user: 'u1',
      key: 'conflict',
    }),
  ).rejects.toMatchObject({ code: 'idempotency_conflict' });
});
