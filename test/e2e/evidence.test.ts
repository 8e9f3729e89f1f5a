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

test('a job that runs out of time keeps evidence of the page that it waited for', async () => {
  const job = await submitGated(world, 'never', { bounds: { attemptMs: 4_000 } });
  const outcome = await job.wait();
  expect(outcome).toMatchObject({ status: 'failed', error: { code: 'attempt_timeout' } });
  const evidence = outcome.status === 'succeeded' ? undefined : outcome.evidence;
  expect(await report(evidence?.report.key ?? '')).toMatchObject({ code: 'attempt_timeout' });
  expect(evidence?.picture?.bytes).toBeGreaterThan(0);
  await untilIdle(world);
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
