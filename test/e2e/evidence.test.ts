import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EvidenceReport } from '../../workflows/contract/index.js';
import { darkroom } from '../support/cli.js';
import { submitGated, untilIdle } from '../support/jobs.js';
import { startWorld, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await startWorld({ sessions: 1 });
});
afterAll(async () => {
  await world.close();
});

const BROKEN = `<h1>Broken</h1><img src="/nowhere.png">
<script>console.error('the price is', 42); setTimeout(() => { throw new Error('no basket'); })</script>`;

async function report(key: string): Promise<EvidenceReport> {
  return JSON.parse((await world.fetchObject(key)).toString()) as EvidenceReport;
}

test('a job that fails on its page keeps what the page said, what it did not get and what it showed', async () => {
  const job = await world.darkroom.submit('page_screenshot', {
    input: {
      target: { base: 'pages', path: '/page', query: { html: BROKEN } },
      area: { type: 'element', selector: '#basket' },
    },
    workspace: 'w1',
    user: 'u1',
  });
  const outcome = await job.wait();
  expect(outcome).toMatchObject({ status: 'failed', error: { code: 'selector_not_found' } });
  const evidence = outcome.status === 'succeeded' ? undefined : outcome.evidence;
  expect(await report(evidence?.report.key ?? '')).toMatchObject({
    job: job.id,
    attempt: 1,
    code: 'selector_not_found',
    url: `${world.pages.url.href}page`,
    console: {
      last: expect.arrayContaining([expect.objectContaining({ type: 'error', text: 'the price is 42' })]) as unknown,
    },
    errors: { total: 1, last: [{ message: 'no basket' }] },
    requests: { total: 1, last: [{ method: 'GET', url: `${world.pages.url.href}nowhere.png`, problem: '404' }] },
  });
  const picture = await world.fetchObject(evidence?.picture?.key ?? '');
  expect(picture.subarray(0, 3).toString('hex')).toBe('ffd8ff');
  expect((await job.timeline()).evidence).toEqual(evidence);
  const { stderr } = await darkroom(world.configuration, ['jobs', 'show', job.id]);
  expect(stderr).toContain(evidence?.report.key);
  await untilIdle(world);
});

test.each([
  ['attempt_timeout', { attemptMs: 4_000 }],
  ['deadline_exceeded', { totalMs: 5_000 }],
] as const)('a job that ends as %s keeps evidence of the page that it waited for', async (code, bounds) => {
  const job = await submitGated(world, `never-${code}`, { bounds });
  const outcome = await job.wait();
  expect(outcome).toMatchObject({ status: 'failed', error: { code } });
  const { spans } = await job.timeline();
  expect(spans.find(({ phase }) => phase === 'capturing')?.steps?.at(-1)?.step).toBe('settling');
  const evidence = outcome.status === 'succeeded' ? undefined : outcome.evidence;
  expect(await report(evidence?.report.key ?? '')).toMatchObject({ code: 'attempt_timeout', attempt: 1 });
  expect(evidence?.picture?.bytes).toBeGreaterThan(0);
  await untilIdle(world);
});

test('a page that leads to another origin is forbidden, and nothing of it is kept', async () => {
  const elsewhere = new URL('gated/never', world.gates.url).href;
  const job = await world.darkroom.submit('page_screenshot', {
    input: { target: { base: 'pages', path: '/redirect', query: { to: elsewhere } } },
    workspace: 'w1',
    user: 'u1',
  });
  const outcome = await job.wait();
  expect(outcome).toMatchObject({ status: 'failed', error: { code: 'target_forbidden' } });
  expect(outcome).not.toHaveProperty('evidence');
  const prefix = createHash('sha256').update(job.id).digest('hex');
  expect((await world.objects()).filter((key) => key.startsWith(prefix))).toEqual([]);
});

test('a job that masks something keeps no picture of it', async () => {
  const job = await world.darkroom.submit('page_screenshot', {
    input: {
      target: { base: 'pages', path: '/page', query: { html: BROKEN } },
      page: { mask: ['h1'] },
      area: { type: 'element', selector: '#basket' },
    },
    workspace: 'w1',
    user: 'u1',
  });
  const outcome = await job.wait();
  expect(outcome).toMatchObject({ status: 'failed', evidence: { picture: null } });
});

test('a job that never had a page keeps no evidence', async () => {
  const job = await world.darkroom.submit('page_screenshot', {
    input: { target: { base: 'pages', path: '/../x' } },
    workspace: 'w1',
    user: 'u1',
  });
  const outcome = await job.wait();
  expect(outcome).toMatchObject({ status: 'failed', error: { code: 'target_forbidden' } });
  expect(outcome).not.toHaveProperty('evidence');
});
