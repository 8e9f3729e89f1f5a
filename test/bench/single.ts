import { readFileSync } from 'node:fs';
import { Client, Connection } from '@temporalio/client';
import { chromium } from 'playwright-core';
import { parse } from 'yaml';
import { Deadline, HANDLERS } from '../../activities/index.js';
import { createDarkroom, type Darkroom } from '../../client/index.js';
import { startStack, type Stack } from '../../infra/stack/index.js';
import { pageScreenshotInput } from '../../workflows/contract/schema/index.js';
import { startBrowserless, type BrowserlessPeer } from '../support/browserless.js';
import { findChromium } from '../support/chromium.js';
import { startFixtureServer } from '../support/fixture-server.js';

export interface BenchReport {
  readonly suite: string;
  readonly results: readonly BenchResult[];
}

export interface BenchResult {
  readonly name: string;
  /** Milliseconds, or their difference. */
  readonly ours: number;
  readonly peer: number | null;
  readonly ratio: number | null;
  readonly goal: string;
  readonly holds: boolean;
}

const WARM_UP = 5;
const ROUNDS = 30;
/** The first form's bound: a durable job over the same capture done directly. */
const OVERHEAD_MS = 160;
const BROWSERLESS_RATIO = 1.25;

type Capture = () => Promise<void>;

/** One warm viewport screenshot: as a durable job, directly on the same node, and by Browserless, in turn. */
export async function measure(report: (line: string) => void): Promise<BenchReport> {
  const stack = await startStack({ report });
  const pages = await startFixtureServer();
  const browserless = await startBrowserless({ chromium: findChromium(), report });
  const connection = await Connection.connect({ address: stack.services.temporal.address });
  try {
    const base = baseOf(stack);
    const darkroom = createDarkroom(new Client({ connection }));
    const captures: Record<string, Capture> = {
      durable: durable(darkroom),
      direct: direct(stack, new URL('todomvc-like', base)),
      browserless: rest(browserless, base),
    };
    const times = await alternate(captures, report);
    return { suite: 'single', results: compare(times) };
  } finally {
    await connection.close();
    await browserless.stop();
    await pages.close();
    await stack.stop();
  }
}
