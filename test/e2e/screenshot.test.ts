import { createHash } from 'node:crypto';
import { PNG } from 'pngjs';
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

test('a job ends with a picture in storage, and leaves no capacity and no session behind', async () => {
  const job = await world.darkroom.submit('page_screenshot', {
    input: { target: { base: 'pages', path: '/simple.html' } },
    workspace: 'w1',
    user: 'u1',
  });
  const outcome = await job.wait();
  expect(outcome).toMatchObject({ status: 'succeeded', attempts: 1, result: { width: 1280, height: 800 } });
  if (outcome.status !== 'succeeded') return;
  const { object } = outcome.result;
  const bytes = await world.fetchObject(object.key);
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(object.sha256);
  expect(await world.objects()).toEqual([object.key]);
  const { width, height, data } = PNG.sync.read(bytes);
  expect([width, height]).toEqual([1_280, 800]);
  expect(new Set(data).size).toBeGreaterThan(2);
  await untilIdle(world);
});

test('who waits is answered as soon as the result is committed, while the session is still being closed', async () => {
  world.node.proxy.hold('/kill');
  const job = await submitSimple(world);
  try {
    const outcome = await job.wait();
    expect(outcome).toMatchObject({ status: 'succeeded' });
    const { state, spans } = await job.timeline();
    expect([state, spans.at(-1)?.phase, spans.at(-1)?.endedAt]).toEqual(['running', 'closing', undefined]);
    world.node.proxy.release();
    const ended: unknown = await world.temporal.workflow.getHandle(job.id).result();
    expect(ended).toMatchObject({ result: outcome.status === 'succeeded' && outcome.result, timings: outcome.timings });
    await untilIdle(world);
  } finally {
    world.node.proxy.release();
  }
});

test('the same page twice gives the same pixels', async () => {
  const jobs = await Promise.all([submitSimple(world), submitSimple(world)]);
  const outcomes = await Promise.all(jobs.map((job) => job.wait()));
  const digests = outcomes.map((outcome) => (outcome.status === 'succeeded' ? outcome.result.object.sha256 : outcome));
  expect(digests[0]).toBe(digests[1]);
});

test('an operator finds the run by its search attributes and reads in its details how it went', async () => {
  const job = await submitSimple(world, { class: 'background', user: 'someone@example.org' });
  await world.temporal.workflow.getHandle(job.id).result();
  const { typedSearchAttributes, memo, staticSummary } = await describe(job.id);
  const attributes = Object.fromEntries(typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]));
  expect(attributes).toMatchObject({
    DarkroomKind: 'page_screenshot',
    DarkroomState: 'succeeded',
    DarkroomClass: 'background',
    DarkroomWorkspace: 'w1',
    DarkroomNode: 'node-1',
  });
  expect(JSON.stringify(attributes)).not.toContain('someone');
  expect(memo).toMatchObject({ user: 'someone@example.org' });
  expect(staticSummary).toBe('page_screenshot pages:/simple.html');
  const { state, spans } = await job.timeline();
  expect(state).toBe('succeeded');
  expect(spans.map(({ phase }) => phase)).toEqual(['queued', 'connecting', 'capturing', 'closing']);
  const steps = spans.flatMap((span) => span.steps ?? []);
  expect(steps.map(({ step }) => step)).toEqual(['navigating', 'settling', 'capturing', 'uploading']);
});

async function describe(id: string) {
  const handle = world.temporal.workflow.getHandle(id);
  return { ...(await handle.describe()), staticSummary: await (await handle.describe()).staticSummary() };
}
