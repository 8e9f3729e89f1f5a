import type { SettleStep } from '../../../workflows/contract/index.js';
import type { Deadline } from '../../deadline.js';
import { intersection, outward, type Box } from '../box.js';
import { isMoved, ScriptError } from '../classify.js';
import { boxOfFrame } from '../frame-box.js';
import type { Frames, PageFrame } from '../frames.js';
import { callInPage } from '../in-page/index.js';
import { scrolled } from '../scrolled.js';
import { stepOf } from '../settle.js';
import type { Visit } from '../visit.js';

interface FarFrame {
  readonly frame: PageFrame;
  /** In the document, before anything is scrolled. */
  readonly box: Box;
  /** What of it the picture shows, in pieces that fit into the window. */
  readonly pieces: readonly Box[];
}

interface Patch extends Box {
  /** Base64. */
  readonly png: string;
}

/** Of all of them; a page of advertisements has a few dozen. */
const ALL_MS = 10_000;
const FRAME_MS = 1_000;
/** A frame in sight is drawn at once; one that a box hides never is, and leaves its time to the others. */
const DRAWN_MS = 500;
/** Of the window's height: what is pinned to its edges is not over a piece in the middle. */
const MIDDLE = 0.6;
/** Of scrolling to a piece that moves when the page is scrolled. */
const TRIES = 3;
/** What the page starts when it is scrolled, a header that shrinks slowly for example, is at its end at once. */
const ANSWERED = `new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => {
  const running = document.getAnimations().filter((one) => one instanceof CSSTransition && one.playbackRate !== 0);
  for (const one of running) one.finish();
  if (running.length === 0) drawn(null);
  else requestAnimationFrame(() => drawn(null));
})))`;
const DRAWN_TWICE = 'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(null))))';

/**
 * A browser draws a frame of another site where it can be seen, and nowhere else: in a picture that reaches beyond the
 * window it would be missing. So each one is brought into sight, photographed in its place among everything around it,
 * and its picture is laid over that place. Nothing is resized, and the page stands where it stood.
 *
 * @returns `undefined` where there is no such frame in the clip
 */
export async function drawFarFrames(visit: Visit, clip: Box): Promise<SettleStep | undefined> {
  const { bound, frames } = visit;
  const startedAt = performance.now();
  const window = await windowOf(visit);
  const far = await farFrames(visit, clip, window);
  if (far.length === 0) return undefined;
  const start = await scrolled(bound, frames);
  await frames.callMain(bound, callInPage('pinned', { hide: true }));
  const photographs = new Map<FarFrame, Patch[]>();
  const pending = new Set(far);
  await bound.attempt(ALL_MS, async (limit) => {
    for (const one of far) {
      const photographed: Patch[] = [];
      photographs.set(one, photographed);
      await photographAll(visit, limit, one, window, photographed);
      if (photographed.length === one.pieces.length) pending.delete(one);
    }
  });
  await scrollTo(bound, frames, start);
  await frames.callMain(bound, callInPage('pinned', { hide: false }));
  const pictures = await Promise.all([...photographs].map(async ([one, patches]) => await placed(visit, one, patches)));
  await frames.callMain(bound, callInPage('patch', { pictures: pictures.flat() }));
  const left = [...pending].map(({ frame }) => frame.url);
  return stepOf('frames', startedAt, left.length === 0, left);
}

/** Where the frame is now: what the page did when it was scrolled, it may not have undone. */
async function placed(visit: Visit, { frame, box }: FarFrame, patches: readonly Patch[]): Promise<readonly Patch[]> {
  const now = await shownOf(visit, frame);
  return now === null ? [] : patches.map((patch) => ({ ...patch, ...shifted(patch, box, now) }));
}

/** What lay so in one box, in another. */
function shifted({ x, y, width, height }: Box, from: Box, to: Box): Box {
  return { x: x + Math.round(to.x - from.x), y: y + Math.round(to.y - from.y), width, height };
}

async function windowOf({ bound, frames, cdp }: Visit): Promise<Box> {
  const { cssLayoutViewport: shown } = await frames.answer(bound, cdp.send('Page.getLayoutMetrics'));
  return { x: shown.pageX, y: shown.pageY, width: shown.clientWidth, height: shown.clientHeight };
}

/** Frames of another origin in frames of the page's own; what a frame of another origin holds is drawn with it. */
async function farFrames(visit: Visit, clip: Box, window: Box): Promise<readonly FarFrame[]> {
  const { bound, frames } = visit;
  const children = await frames.children(bound);
  const { origin } = await frames.main(bound);
  const foreign = children.filter((frame) => frame.origin !== origin && frame.parent?.origin === origin);
  const found = await Promise.all(
    foreign.map(async (frame): Promise<FarFrame[]> => {
      const box = await shownOf(visit, frame);
      const seen = box && intersection(outward(box), clip);
      const pieces = seen === null ? [] : outside(seen, window).flatMap((part) => piecesOf(part, window));
      return box === null || pieces.length === 0 ? [] : [{ frame, box, pieces }];
    }),
  );
  return found.flat();
}

/** `null` for a frame that shows nothing, went, or does not answer. */
async function shownOf({ bound, frames }: Visit, frame: PageFrame): Promise<Box | null> {
  const box = await bound.attempt(FRAME_MS, async (limit) => {
    try {
      return await boxOfFrame(limit, frames, frame);
    } catch (error) {
      if (isMoved(error)) return null;
      throw error;
    }
  });
  return box ?? null;
}

/** What of it lies outside the window: inside it is drawn already, with what is pinned there over it. */
function outside(box: Box, window: Box): Box[] {
  const seen = intersection(box, window);
  if (seen === null) return [box];
  const [right, bottom] = [seen.x + seen.width, seen.y + seen.height];
  return [
    { ...box, height: seen.y - box.y },
    { ...box, y: bottom, height: box.y + box.height - bottom },
    { ...seen, x: box.x, width: seen.x - box.x },
    { ...seen, x: right, width: box.x + box.width - right },
  ].filter(({ width, height }) => width > 0 && height > 0);
}

function piecesOf(box: Box, window: Box): Box[] {
  const [width, height] = [window.width, Math.ceil(window.height * MIDDLE)];
  const pieces: Box[] = [];
  for (let y = box.y; y < box.y + box.height; y += height) {
    for (let x = box.x; x < box.x + box.width; x += width) {
      const piece = intersection({ x, y, width, height }, box);
      if (piece) pieces.push(piece);
    }
  }
  return pieces;
}

/** Of a frame that goes or does not answer, and when the time is over, the pieces before are kept. */
async function photographAll(
  visit: Visit,
  limit: Deadline,
  far: FarFrame,
  window: Box,
  photographed: Patch[],
): Promise<void> {
  for (const piece of far.pieces) {
    const seen = await bringIntoSight(visit, limit, far, piece, window);
    if (seen === null || !(await isDrawn(visit, limit, far.frame))) break;
    photographed.push({ ...piece, png: await photograph(visit, limit, seen) });
  }
}

/** Where the piece is then: a page may move its frames when it is scrolled, under a header that shrinks for example. */
async function bringIntoSight(
  visit: Visit,
  limit: Deadline,
  { frame, box }: FarFrame,
  piece: Box,
  window: Box,
): Promise<Box | null> {
  let seen = piece;
  for (let tries = 0; tries < TRIES; tries += 1) {
    await scrollTo(limit, visit.frames, {
      x: seen.x + (seen.width - window.width) / 2,
      y: seen.y + (seen.height - window.height) / 2,
    });
    const now = await shownOf(visit, frame);
    if (now === null) return null;
    const moved = shifted(piece, box, now);
    if (moved.x === seen.x && moved.y === seen.y) break;
    seen = moved;
  }
  return seen;
}

/** A frame that is out of sight gets no frames to draw: the second one has what the first was asked for. */
async function isDrawn({ frames }: Visit, limit: Deadline, frame: PageFrame): Promise<boolean> {
  const drawn = await limit.attempt(DRAWN_MS, async (bound) => {
    try {
      await frames.call(bound, frame, DRAWN_TWICE);
    } catch (error) {
      if (!isMoved(error) && !(error instanceof ScriptError)) throw error; // What it shows instead is as good.
    }
    return true;
  });
  return drawn ?? false;
}

async function photograph({ frames, cdp }: Visit, limit: Deadline, piece: Box): Promise<string> {
  const { data } = await frames.answer(
    limit,
    cdp.send('Page.captureScreenshot', {
      format: 'png',
      optimizeForSpeed: true,
      clip: { ...piece, scale: 1 },
      // It is in the window, and beyond it `100vh` would be another height for a moment, as the frame sees it.
      captureBeyondViewport: false,
    }),
  );
  return data;
}

/** And waits until the page has answered to it: it is told so before the next frame, and acts on it in that one. */
async function scrollTo(bound: Deadline, frames: Frames, { x, y }: Pick<Box, 'x' | 'y'>): Promise<void> {
  const place = `{ left: ${String(x)}, top: ${String(y)}, behavior: 'instant' }`;
  await frames.callMain(bound, `window.scrollTo(${place})`);
  await bound.attempt(FRAME_MS, async (limit) => await frames.callMain(limit, ANSWERED));
}
