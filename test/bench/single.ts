import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { chromium } from 'playwright-core';
import { Deadline, HANDLERS, openBlankPage } from '../../activities/slot.js';
import { createDarkroom } from '../../client/index.js';
import { startStack, type Stack } from '../../infra/stack/index.js';
import { pageScreenshotInput } from '../../workflows/contract/schema/index.js';
import { startBrowserless, type BrowserlessPeer } from '../support/browserless.js';
import { findChromium } from '../support/chromium.js';
import { startFloor } from './floor/index.js';
import { alternate, quantile, type BenchReport, type BenchResult } from './report.js';

export { describe } from './report.js';

const ROUNDS = { warmUp: 5, measured: 30 };
/** Before every turn: the node replaces the browser of the turn before, which is no part of either. */
const REST_MS = 1_000;
/** What durability may cost over the same capture done directly, in its first form. */
const OVERHEAD_MS = 160;
const BROWSERLESS_RATIO = 1.25;
/** Of what Temporal takes for the same number of empty steps; the rest is the scheduler, the slot and storage. */
const FLOOR_RATIO = 2;

/** A page of a framework's components: style sheets, scripts, pictures, no waiting for anything else. */
const PATH = '/uikit/tests/card.html';
const input = pageScreenshotInput.parse({ target: { base: 'pages', path: PATH } });

/** One warm viewport screenshot: as a durable job, directly on the same node with the same settling, and by Browserless. */
export async function measure(report: (line: string) => void): Promise<BenchReport> {
  const peer = await startBrowserless({ chromium: findChromium(), report });
  const stack = await startStack({ report });
  const { address } = stack.services.temporal;
  const connection = await Connection.connect({ address });
  const floor = await startFloor(address);
  try {
    const times = await alternate(
      {
        durable: durable(new Client({ connection })),
        direct: direct(stack),
        browserless: rest(stack, peer),
        floor: floor.run,
      },
      ROUNDS,
      () => pause(REST_MS),
    );
    return { suite: 'single', results: compare(times) };
  } finally {
    await floor.stop();
    await connection.close();
    await peer.stop();
    await stack.stop();
  }
}

function durable(client: Client) {
  const darkroom = createDarkroom(client);
  return async (): Promise<void> => {
    const operation = randomUUID();
    const job = await darkroom.submit('page_screenshot', { input, workspace: 'bench', user: 'bench', operation });
    const outcome = await job.wait();
    if (outcome.status !== 'succeeded') throw new Error(`The job ${outcome.status}: ${outcome.error.code}`);
  };
}

/** The handler itself, without queue, lease, process boundary and upload. */
function direct({ services: { browserNode, pages } }: Stack) {
  const handler = HANDLERS.page_screenshot;
  return async (): Promise<void> => {
    const trackingId = randomUUID().replaceAll('-', '').slice(0, 26);
    const browser = await chromium.connectOverCDP(
      `${browserNode.endpoint}?token=${browserNode.token}&trackingId=${trackingId}`,
    );
    const deadline = Deadline.after(60_000, 'attempt_timeout');
    const blank = openBlankPage(browser, handler.contextOptions(input));
    await handler.capture(
      {
        deadline,
        answerMs: 30_000,
        blank,
        url: new URL(PATH, pages.url),
        browser: { version: browser.version(), fontSet: null },
        enter: () => undefined,
        store: (key, bytes, contentType) =>
          Promise.resolve({
            key,
            contentType,
            bytes: bytes.length,
            sha256: createHash('sha256').update(bytes).digest('hex'),
          }),
      },
      input,
    );
    await (await blank).context.close();
    await browser.close();
    deadline.stop();
  };
}

function rest({ services: { pages } }: Stack, { url, token }: BrowserlessPeer) {
  const body = JSON.stringify({
    url: new URL(PATH, pages.url).href,
    viewport: { width: 1_280, height: 800 },
    options: { type: 'png' },
    gotoOptions: { waitUntil: 'load' },
  });
  return async (): Promise<void> => {
    const response = await fetch(`${url}/chromium/screenshot?token=${token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const bytes = await response.arrayBuffer();
    if (!response.ok || bytes.byteLength < 1_000) throw new Error(`Browserless answered ${String(response.status)}.`);
  };
}

function compare(times: Record<'durable' | 'direct' | 'browserless' | 'floor', number[]>): BenchResult[] {
  const ours = quantile(times.durable, 0.5);
  const directly = quantile(times.direct, 0.5);
  const browserless = quantile(times.browserless, 0.5);
  const floor = quantile(times.floor, 0.5);
  return [
    {
      name: 'P50 from submit to result, beside the same capture done directly',
      ours,
      peer: directly,
      ratio: ours / directly,
      goal: `at most ${String(OVERHEAD_MS)} ms more (now ${(ours - directly).toFixed(0)})`,
      holds: ours - directly <= OVERHEAD_MS,
    },
    {
      name: 'P50 from submit to result, beside POST /screenshot of Browserless',
      ours,
      peer: browserless,
      ratio: ours / browserless,
      goal: `at most ${String(BROWSERLESS_RATIO)} ×`,
      holds: ours / browserless <= BROWSERLESS_RATIO,
    },
    {
      name: 'P50 of what durability adds, beside a workflow of four empty activities',
      ours: ours - directly,
      peer: floor,
      ratio: (ours - directly) / floor,
      goal: `at most ${String(FLOOR_RATIO)} ×`,
      holds: (ours - directly) / floor <= FLOOR_RATIO,
    },
  ];
}
