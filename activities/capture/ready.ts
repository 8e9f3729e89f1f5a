import { setTimeout as pause } from 'node:timers/promises';
import type { CDPSession, Page } from 'playwright-core';
import type { SettleStep } from '../../workflows/contract/index.js';
import type { Deadline } from '../deadline.js';
import { JobFailure } from '../failure.js';
import { isMoved } from './classify.js';
import type { Frames } from './frames.js';
import { callInPage } from './in-page/index.js';
import type { PageOptions } from './page-options.js';
import { listUrls, type PageWatch } from './page-watch.js';

type Condition = PageOptions['waitFor'][number];

/** For the document, its scripts and its styles. */
const LOAD_MS = 15_000;
/** For the rest of it: images and fonts have steps of their own with bounds of their own. */
const ASSETS_MS = 1_000;
/** After loading was stopped: for the parser to go on to the end of what there is. */
const STOP_MS = 2_000;
/** A refresh that comes later than this belongs to a page that shows something first. */
const REFRESH_MS = 1_500;
const SIGNAL_POLL_MS = 25;

/** A page on its way. */
export interface Loading {
  readonly page: Page;
  readonly cdp: CDPSession;
  readonly frames: Frames;
  readonly watch: PageWatch;
}

/** What has to be in the page before its own scripts run, for the conditions to work. */
export async function prepareConditions(page: Page, conditions: readonly Condition[]): Promise<void> {
  if (conditions.some(({ type }) => type === 'ready')) await page.addInitScript(callInPage('signal', null));
}

/**
 * Waits until the page has loaded and every condition holds, in order. A bound that is reached is reported and the page
 * taken as it is, after its loading was stopped: a style sheet or script that never comes keeps it from being drawn. Only a selector that was waited for fails the job, with `selector_not_found`.
 */
export async function becomeReady(
  deadline: Deadline,
  loading: Loading,
  conditions: readonly Condition[],
): Promise<SettleStep> {
  const startedAt = performance.now();
  const { watch } = loading;
  let done = await hasLoaded(deadline, watch);
  let pending: readonly string[] = [];
  if (!done) {
    pending = inFlight(watch);
    await stopLoading(deadline, loading);
  }
  for (const condition of conditions) {
    const holds = await fulfil(deadline, loading, condition);
    if (!holds && condition.type === 'selector') {
      throw new JobFailure('selector_not_found', `Not ${condition.state}: ${condition.selector}`);
    }
    done &&= holds;
  }
  const ms = performance.now() - startedAt;
  if (done) return { step: 'ready', ms, outcome: 'done' };
  return { step: 'ready', ms, outcome: 'bounded', pending: pending.length > 0 ? pending : inFlight(watch) };
}

/** Follows a refresh that the document announces itself: it is no page to capture but the way to one. */
export async function followRefresh(deadline: Deadline, watch: PageWatch, refreshInMs: number | null): Promise<void> {
  if (refreshInMs === null || refreshInMs > REFRESH_MS) return;
  await deadline.attempt(refreshInMs + REFRESH_MS, async (bound) => {
    await watch.until(bound, () => !watch.parsed);
  });
}

function inFlight(watch: PageWatch): readonly string[] {
  return listUrls(watch.requests().map((request) => request.url()));
}

async function stopLoading(deadline: Deadline, { cdp, frames, watch }: Loading): Promise<void> {
  await frames.answer(deadline, cdp.send('Page.stopLoading'));
  const parsed = await inTime(deadline, STOP_MS, async (bound) => {
    await watch.until(bound, () => watch.parsed);
  });
  if (!parsed) watch.takeAsItIs();
}

async function hasLoaded(deadline: Deadline, watch: PageWatch): Promise<boolean> {
  const loads = async (ms: number, state: () => boolean): Promise<boolean> =>
    await inTime(deadline, ms, async (bound) => {
      await watch.until(bound, state);
    });
  if (await loads(ASSETS_MS, () => watch.loaded)) return true;
  const isBuilt = (): boolean => watch.parsed && watch.requests('document', 'stylesheet', 'script').length === 0;
  return await loads(LOAD_MS - ASSETS_MS, () => watch.loaded || isBuilt());
}

async function fulfil(deadline: Deadline, { page, frames }: Loading, condition: Condition): Promise<boolean> {
  if (condition.type === 'delay') {
    await deadline.race(pause(condition.ms, undefined, { signal: deadline.signal }));
    return true;
  }
  return await inTime(deadline, condition.ms, async (bound) => {
    if (condition.type === 'load') await page.waitForLoadState(condition.state, { timeout: 0 });
    else if (condition.type === 'ready') await signalled(bound, frames);
    else await page.locator(condition.selector).first().waitFor({ state: condition.state, timeout: 0 });
  });
}

async function signalled(bound: Deadline, frames: Frames): Promise<void> {
  while (!(await hasSignalled(bound, frames))) await pause(SIGNAL_POLL_MS, undefined, { signal: bound.signal });
}

/** A page that has moved on has not signalled: its next document may. */
async function hasSignalled(bound: Deadline, frames: Frames): Promise<boolean> {
  try {
    return await frames.callAmongTheirs<boolean>(bound, callInPage('signal', null));
  } catch (error) {
    if (isMoved(error)) return false;
    throw error;
  }
}

async function inTime(deadline: Deadline, ms: number, step: (bound: Deadline) => Promise<void>): Promise<boolean> {
  const done = await deadline.attempt(ms, async (bound) => {
    await step(bound);
    return true;
  });
  return done ?? false;
}
