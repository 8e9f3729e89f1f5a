import { setTimeout as pause } from 'node:timers/promises';
import type { SettleStep } from '../../workflows/contract/index.js';
import type { Deadline } from '../deadline.js';
import type { PageOptions } from './page-options.js';
import { listUrls } from './page-watch.js';
import { becomeReady, followRefresh } from './ready.js';
import { showOnce } from './show-once.js';
import { assertHere, glance, look, type Subject, type Survey } from './survey.js';

export interface SettlePlan {
  readonly conditions: PageOptions['waitFor'];
  /** How far down content has to be seen once, CSS pixels from the top; `null` when the first viewport is all. */
  readonly lazyUntil: () => Promise<number | null>;
}

/** A subject whose document is still on its way. */
export type Arriving = Omit<Subject, 'document'>;

export interface Settled {
  /** The document that settled, as the watch counts. */
  readonly document: number;
  readonly steps: readonly SettleStep[];
  readonly title: string;
  readonly isEmptyText: boolean;
}

const FONTS_MS = 5_000;
const IMAGES_MS = 10_000;
const ANIMATIONS_MS = 2_000;
const STABLE_MS = 3_000;
/** Between two looks at something that is pending; most things take their time, so the pauses grow. */
const FIRST_PAUSE_MS = 8;
const LONGEST_PAUSE_MS = 100;

/**
 * Brings a page that has begun to load to the state in which it can be captured, step by step; every step is bounded and
 * reported. A page that is settled costs one look and two glances. Fails with `Moved` when another document took over.
 */
export async function settle(deadline: Deadline, arriving: Arriving, plan: SettlePlan): Promise<Settled> {
  const { watch } = arriving;
  const ready = await becomeReady(deadline, arriving, plan.conditions);
  const subject: Subject = { ...arriving, document: watch.documents };
  const seen = await look(deadline, subject);
  await followRefresh(deadline, watch, seen.refreshInMs);
  assertHere(subject);

  const lazy = await lazyStep(deadline, subject, await plan.lazyUntil());
  const first = lazy === undefined ? seen : await look(deadline, subject);
  const fontRequests = (): readonly string[] => watch.requests('font').map((request) => request.url());
  // Only those that began before: a page that polls with images would never come to an end.
  const imageRequests = watch.requests('image');
  const fonts = await wait(deadline, subject, first, 'fonts', FONTS_MS, (survey) =>
    survey.fontsLoading ? (fontRequests().length > 0 ? fontRequests() : ['']) : [],
  );
  const images = await wait(deadline, subject, fonts.seen, 'images', IMAGES_MS, (survey) => {
    const loading = watch.requests('image');
    return [...survey.images, ...imageRequests.filter((one) => loading.includes(one)).map((one) => one.url())];
  });
  const rest = await wait(deadline, subject, images.seen, 'animations', ANIMATIONS_MS, ({ restless }) =>
    restless > 0 ? [''] : [],
  );
  const stable = await comeToRest(deadline, subject, rest.seen);
  const steps = [ready, ...(lazy === undefined ? [] : [lazy]), fonts.step, images.step, rest.step, stable];
  return { document: subject.document, steps, title: rest.seen.title, isEmptyText: rest.seen.isEmptyText };
}

async function lazyStep(deadline: Deadline, subject: Subject, bottom: number | null): Promise<SettleStep | undefined> {
  if (bottom === null || bottom <= subject.viewport.height) return undefined;
  const startedAt = performance.now();
  return stepOf('lazy', startedAt, await showOnce(deadline, subject.frames, bottom));
}

/** Looks again until nothing is pending. `seen` is the last look, which the next step begins with. */
async function wait(
  deadline: Deadline,
  subject: Subject,
  first: Survey,
  name: SettleStep['step'],
  ms: number,
  pendingIn: (survey: Survey) => readonly string[],
): Promise<{ readonly step: SettleStep; readonly seen: Survey }> {
  const startedAt = performance.now();
  let seen = first;
  let pending = pendingIn(seen);
  await deadline.attempt(ms, async (bound) => {
    for (let rest = FIRST_PAUSE_MS; pending.length > 0; rest = Math.min(rest * 2, LONGEST_PAUSE_MS)) {
      await pause(rest, undefined, { signal: bound.signal });
      seen = await look(bound, subject);
      pending = pendingIn(seen);
    }
  });
  return { step: stepOf(name, startedAt, pending.length === 0, pending), seen };
}

/** Two looks and two small frames in a row that are equal. */
async function comeToRest(deadline: Deadline, subject: Subject, first: Survey): Promise<SettleStep> {
  const startedAt = performance.now();
  const done = await deadline.attempt(STABLE_MS, async (bound) => {
    let before = `${first.signature} ${await glance(bound, subject, first)}`;
    for (;;) {
      const [seen, frame] = await Promise.all([look(bound, subject), glance(bound, subject, first)]);
      const now = `${seen.signature} ${frame}`;
      if (now === before) return true;
      before = now;
    }
  });
  return stepOf('stable', startedAt, done ?? false);
}

/** A step that began at `startedAt` and is over now; `pending`: addresses of what it did not wait for. */
export function stepOf(
  name: SettleStep['step'],
  startedAt: number,
  done: boolean,
  pending: readonly string[] = [],
): SettleStep {
  const ms = Math.round((performance.now() - startedAt) * 10) / 10;
  if (done) return { step: name, ms, outcome: 'done' };
  const urls = listUrls(pending.filter((url) => url !== ''));
  return { step: name, ms, outcome: 'bounded', ...(urls.length === 0 ? {} : { pending: urls }) };
}
