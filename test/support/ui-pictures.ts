import { mkdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Frame, Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import type { JobHandle } from '../../client/index.js';
import { launchChromium } from './chromium.js';
import { eventually } from './eventually.js';
import { submitGated, submitSimple, untilIdle, untilQueued } from './jobs.js';
import { startWorld, type World } from './world.js';

/** Pictures of Temporal's UI for `docs/operators.md`: `npm run pictures`. Look at them before they are checked in. */
const IMAGES = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const MAX_BYTES = 200_000;
const WINDOW = { width: 1_440, height: 960 };
/** Without the UI's own bars. */
const RUN = { x: 64, y: 104, width: WINDOW.width - 64, height: WINDOW.height - 104 };

test('a queued, a running, a failed and a finished run in the UI', async () => {
  mkdirSync(IMAGES, { recursive: true });
  const browser = await launchChromium();
  const world = await startWorld({ sessions: 1 });
  try {
    const page = await browser.newPage({ viewport: WINDOW });
    const running = await submitGated(world, 'running');
    await world.gates.reached('running');
    const queued = await submitSimple(world);
    await untilQueued(world);
    await take(world, page, running, 'run-running', 'Running: capturing');
    await take(world, page, queued, 'run-queued', 'Waiting for a browser');
    world.gates.open('running');
    await running.wait();
    await queued.wait();
    await untilIdle(world);
    await take(world, page, queued, 'run-succeeded', 'Succeeded after');
    const input = { target: { base: 'pages', path: '/status', query: { status: '503' } } };
    const failed = await world.darkroom.submit('page_screenshot', { workspace: 'w1', user: 'u1', input });
    expect(await failed.wait()).toMatchObject({ status: 'failed' });
    await untilIdle(world);
    await take(world, page, failed, 'run-failed', 'Failed: http_error');
  } finally {
    await world.close();
    await browser.close();
  }
});

/** The tab that shows the run's details, once they stand there. */
async function take(world: World, page: Page, job: JobHandle, name: string, headline: string): Promise<void> {
  const { runId } = await world.temporal.workflow.getHandle(job.id).describe();
  const { namespace } = world.temporal.options;
  const path = `/namespaces/${namespace}/workflows/${encodeURIComponent(job.id)}/${runId}/user-metadata`;
  await page.goto(new URL(path, inject('shared').temporal.ui).href);
  // The UI draws Markdown in frames of their own.
  await eventually(
    async () => await Promise.all(page.frames().map((frame) => textOf(frame))),
    (texts) => texts.some((text) => text.includes(headline)),
  );
  await page.screenshot({ path: `${IMAGES}${name}.png`, clip: RUN });
  expect(statSync(`${IMAGES}${name}.png`).size).toBeLessThan(MAX_BYTES);
}

/** A frame that is drawn anew while it is read has no text yet. */
async function textOf(frame: Frame): Promise<string> {
  try {
    return await frame.locator('body').innerText();
  } catch (error) {
    if (frame.isDetached()) return '';
    throw error;
  }
}
