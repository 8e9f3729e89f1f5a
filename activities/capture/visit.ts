import type { CDPSession, Page } from 'playwright-core';
import type { SettleStep } from '../../workflows/contract/index.js';
import { Deadline } from '../deadline.js';
import { JobFailure } from '../failure.js';
import type { BlankPage } from './blank-page.js';
import { asFailure, isMoved, Moved } from './classify.js';
import { dressOf } from './dress.js';
import { Frames } from './frames.js';
import { callInPage } from './in-page/index.js';
import { Intruders, type Suppressed } from './intruders.js';
import type { CaptureSession } from './kind.js';
import { assertContent, assertDocument, navigate, type DocumentRules } from './navigate.js';
import type { PageOptions } from './page-options.js';
import { plainUrl, PageWatch } from './page-watch.js';
import { prepareConditions } from './ready.js';
import { settle, type Arriving } from './settle.js';

/** What a handler does with a page: on its arrival, and then its own work on the settled page. */
export interface VisitPlan<T> {
  /** Whether anything outside the first viewport is wanted. */
  readonly beyondViewport: boolean;
  /** Called when the page has loaded: how far down content has to be seen once, CSS pixels; null for not at all. */
  readonly lazyUntil: (visit: Visit) => Promise<number | null>;
  /** Runs in the page before its own scripts. */
  readonly initScript?: string;
  /** Called with the page before it goes anywhere. */
  readonly begun?: (blank: BlankPage) => void;
  readonly work: (visit: Visit) => Promise<T>;
}

/** A page under its bound: every wait in it ends with the attempt, with the page, or with the connection. */
export interface Visit {
  readonly bound: Deadline;
  readonly page: Page;
  readonly cdp: CDPSession;
  readonly frames: Frames;
}

export interface Visited<T> {
  readonly outcome: T;
  readonly finalUrl: string;
  readonly status: number;
  readonly title: string;
  readonly settle: readonly SettleStep[];
  readonly suppressed: Suppressed;
  readonly navigatedMs: number;
  readonly settledMs: number;
  readonly workedMs: number;
}

/** What every kind's result says of its visit; `workedAt` is when the work was done and storing began. */
export function describeVisit(visited: Visited<unknown>, workedAt: number, { browser }: CaptureSession) {
  const { finalUrl, status, title, settle: steps, suppressed, navigatedMs, settledMs, workedMs } = visited;
  return {
    finalUrl,
    status,
    title,
    settle: steps,
    suppressed,
    timings: { navigatedMs, settledMs, capturedMs: workedMs, uploadedMs: performance.now() - workedAt },
    browser,
  };
}

interface Stay<T> extends Pick<Visited<T>, 'outcome' | 'title' | 'settle' | 'workedMs'> {
  readonly settledAt: number;
}

/** How often scripts and refreshes may send the page on before it counts as going in circles. */
const MAX_HOPS = 8;

/**
 * Opens the target in a page of its own, settles it and works on it, again for every document that it is sent on to
 * meanwhile. Fails with the codes of `navigate` and `settle`, and with `navigation_failed` after too many hops.
 */
export async function visitPage<T>(
  session: CaptureSession,
  options: PageOptions,
  plan: VisitPlan<T>,
): Promise<Visited<T>> {
  const blank = await opened(session);
  plan.begun?.(blank);
  const watch = new PageWatch(blank.page);
  const intruders = new Intruders(blank.context, blank.page, blank.cdp);
  const ends = AbortSignal.any([session.deadline.signal, watch.gone, intruders.endless]);
  const bound = Deadline.after(session.deadline.remainingMs, 'attempt_timeout', ends);
  try {
    return await visitUnder(bound, session, blank, { watch, intruders }, options, plan);
  } catch (error) {
    // Calls that a dying page cuts short say less than its death.
    throw asFailure(watch.gone.aborted ? watch.gone.reason : intruders.explain(error));
  } finally {
    bound.stop();
  }
}

async function opened({ deadline, blank }: CaptureSession): Promise<BlankPage> {
  try {
    return await deadline.race(blank);
  } catch (error) {
    throw asFailure(error);
  }
}

async function visitUnder<T>(
  bound: Deadline,
  session: CaptureSession,
  { page, cdp }: BlankPage,
  { watch, intruders }: { readonly watch: PageWatch; readonly intruders: Intruders },
  options: PageOptions,
  plan: VisitPlan<T>,
): Promise<Visited<T>> {
  const startedAt = performance.now();
  session.enter('navigating');
  const rules: DocumentRules = { origin: session.url.origin, onHttpError: options.onHttpError };
  await bound.race(
    Promise.all([
      page.addInitScript(callInPage('quiet', null)),
      plan.initScript === undefined ? undefined : page.addInitScript(plan.initScript),
      prepareConditions(page, options.waitFor),
      // Before there is a document, which would hear of it as a resize.
      keepScale(cdp, options.viewport),
    ]),
  );
  await navigate(bound, page, watch, session.url, rules, options.navigationMs);
  const navigatedAt = performance.now();

  const arriving: Arriving = {
    page,
    cdp,
    frames: new Frames(page, cdp, session.answerMs),
    watch,
    viewport: options.viewport,
    dress: dressOf(options),
    eager: plan.beyondViewport,
  };
  for (let hop = 0; hop <= MAX_HOPS; hop += 1) {
    const stay = await stayOnce(bound, session, arriving, rules, options, plan);
    if (stay === undefined) continue;
    await intruders.closed(bound);
    return {
      ...stay,
      finalUrl: plainUrl(page.url()),
      status: watch.answer?.status() ?? 0,
      suppressed: intruders.counts,
      navigatedMs: navigatedAt - startedAt,
      settledMs: stay.settledAt - navigatedAt,
    };
  }
  throw new JobFailure('navigation_failed', `The page sent itself on more than ${String(MAX_HOPS)} times.`);
}

/**
 * Emulation belongs to a CDP session: without its own, capturing beyond the viewport drops the device scale that the
 * context was made with, and the page sees another resolution while it is captured.
 */
async function keepScale(cdp: CDPSession, viewport: PageOptions['viewport']): Promise<void> {
  const { width, height, deviceScale, mobile } = viewport;
  await cdp.send('Emulation.setDeviceMetricsOverride', {
    width,
    height,
    screenWidth: width,
    screenHeight: height,
    deviceScaleFactor: deviceScale,
    mobile,
  });
}

/** Settles and works on one document; `undefined` when the page moved on meanwhile, and what was made is void. */
async function stayOnce<T>(
  bound: Deadline,
  session: Pick<CaptureSession, 'enter'>,
  arriving: Arriving,
  rules: DocumentRules,
  options: PageOptions,
  plan: VisitPlan<T>,
): Promise<Stay<T> | undefined> {
  const { page, cdp, frames, watch } = arriving;
  const visit: Visit = { bound, page, cdp, frames };
  let here: number | undefined;
  try {
    const lazyUntil = async (): Promise<number | null> => await plan.lazyUntil(visit);
    session.enter('settling');
    const settled = await settle(bound, arriving, { conditions: options.waitFor, lazyUntil });
    const { steps, title } = settled;
    here = settled.document;
    assertDocument(watch, rules);
    assertContent(watch, settled.isEmptyText);
    const settledAt = performance.now();
    session.enter('capturing');
    const outcome = await plan.work(visit);
    if (!watch.parsed || watch.documents !== here) return undefined;
    return { outcome, title, settle: steps, settledAt, workedMs: performance.now() - settledAt };
  } catch (error) {
    assertDocument(watch, rules);
    const moved = here !== undefined && watch.documents !== here && !(error instanceof JobFailure);
    if (moved || error instanceof Moved || isMoved(error)) return undefined;
    throw error;
  }
}
