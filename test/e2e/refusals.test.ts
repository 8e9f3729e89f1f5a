import { chromium, type Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { runJob } from '../support/cli.js';
import { SIMPLE, submitSimple, untilIdle } from '../support/jobs.js';
import { startWorld, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await startWorld({ sessions: 1 });
});
afterAll(async () => {
  await world.close();
});
afterEach(async () => {
  await Promise.all(occupants.splice(0).map((browser) => browser.close()));
  await untilIdle(world);
});

const caller = { workspace: 'w1', user: 'u1' };
const occupants: Browser[] = [];
let count = 0;
const operation = (): string => `refusal-${String((count += 1))}`;

test.each(['/../outside', '/%2e%2e/outside', '//other.example/', '/a\\b'])(
  'the path %s is target_forbidden, before any capacity is asked for',
  async (path) => {
    const job = await world.darkroom.submit('page_screenshot', {
      input: { target: { base: 'pages', path } },
      operation: operation(),
      ...caller,
    });
    expect(await job.wait()).toMatchObject({ status: 'failed', error: { code: 'target_forbidden', layer: 'target' } });
    expect((await world.capacity.ledger()).filter((entry) => entry.job === job.id)).toEqual([]);
  },
);

test('an unknown option is unsupported_option, before there is a job', async () => {
  const input = { target: { base: 'pages', path: '/simple.html' }, script: 'alert(1)' } as never;
  await expect(world.darkroom.submit('page_screenshot', { input, ...caller })).rejects.toMatchObject({
    code: 'unsupported_option',
    message: expect.stringContaining('script') as string,
  });
});

test.each([
  ['a user with a NUL', { user: 'a\0b' }, {}],
  ['a user agent of two lines', {}, { page: { userAgent: 'a\r\nb' } }],
  ['a clip beyond every page', {}, { area: { type: 'clip', x: 0, y: 1e308, width: 10, height: 10 } }],
  ['a query of thousands of parameters', {}, { target: { ...SIMPLE.target, query: manyParameters() } }],
])('%s is invalid_input, before there is a job', async (_, by, input) => {
  const asked = { ...caller, ...by, input: { ...SIMPLE, ...input } as never };
  await expect(world.darkroom.submit('page_screenshot', asked)).rejects.toMatchObject({ code: 'invalid_input' });
});

test('an artifact that expires before the job could end is target_expired, exit code 1', async () => {
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  const artifact = { id: 'a', version: '1', expiresAt };
  expect(await runJob(world, { target: { ...SIMPLE.target, artifact } })).toMatchObject({
    code: 1,
    document: { status: 'failed', error: { code: 'target_expired' } },
  });
});

test('a page that answers 404 is target_gone after one attempt', async () => {
  const job = await world.darkroom.submit('page_screenshot', {
    input: { target: { base: 'pages', path: '/nothing-here' } },
    operation: operation(),
    ...caller,
  });
  expect(await job.wait()).toMatchObject({ status: 'failed', attempts: 1, error: { code: 'target_gone' } });
});

test('A14: a node that is full costs no attempt: the job waits and succeeds when there is room', async () => {
  const occupant = await occupy(world);
  const job = await submitSimple(world);
  await refusedOnce(job.id);
  await occupant.close();
  expect(await job.wait()).toMatchObject({ status: 'succeeded', attempts: 1 });
  const { spans } = await job.timeline();
  expect(spans.filter(({ outcome }) => outcome === 'refused').length).toBeGreaterThan(0);
});

test('a node that stays full ends as queue_timeout at the queue deadline, exit code 1', async () => {
  await occupy(world);
  expect(await runJob(world, SIMPLE, ['--queue-ms', '3000'])).toMatchObject({
    code: 1,
    document: { status: 'failed', attempts: 1, error: { code: 'queue_timeout' } },
  });
});

function manyParameters(): Record<string, string> {
  return Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`p${String(index)}`, 'x']));
}

/** Takes the node's one session behind the scheduler's back. */
async function occupy({ node }: World): Promise<Browser> {
  const browser = await chromium.connectOverCDP(`${node.endpoint}?token=${node.token}&trackingId=${operation()}`);
  occupants.push(browser);
  return browser;
}

async function refusedOnce(id: string): Promise<void> {
  await eventually(
    () => world.capacity.ledger(),
    (ledger) => ledger.some(({ job, event }) => job === id && event === 'requeued'),
  );
}
