import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world.close();
});

test('a job ends with a picture in storage, and leaves no capacity and no session behind', async () => {
  const job = await world.darkroom.submit('page_screenshot', {
    input: { target: { base: 'pages', path: '/simple.html' } },
    workspace: 'w1',
    user: 'u1',
  });
  const outcome = await job.wait();
  expect(outcome).toMatchObject({ status: 'succeeded', attempts: 1, result: { width: 1280, height: 800 } });
  console.log(JSON.stringify(outcome, null, 1));
  const snapshot = await world.capacity.snapshot();
  expect(snapshot.running).toBe(0);
});
