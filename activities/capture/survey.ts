import { createHash } from 'node:crypto';
import type { CDPSession, Page } from 'playwright-core';
import type { Deadline } from '../deadline.js';
import { JobFailure, messageOf } from '../failure.js';
import { isMoved, Moved, ScriptError } from './classify.js';
import { FRAME_DRESS, type Dress } from './dress.js';
import type { Frames, PageFrame } from './frames.js';
import { callInPage } from './in-page/index.js';
import type { PageWatch } from './page-watch.js';

/** What one look at the page and its frames tells; the fields are those of `in-page/survey.js`. */
export interface Survey {
  readonly title: string;
  /** A text without any: what a browser makes of an answer that says nothing. */
  readonly isEmptyText: boolean;
  readonly fontsLoading: boolean;
  /** Addresses of images that are not complete, a bounded number. */
  readonly images: readonly string[];
  /** Animations that could not be brought to rest. */
  readonly restless: number;
  /** A `<meta http-equiv="refresh">`, milliseconds. */
  readonly refreshInMs: number | null;
  readonly scrollX: number;
  readonly scrollY: number;
  readonly signature: string;
}

export interface Subject {
  readonly page: Page;
  readonly cdp: CDPSession;
  readonly frames: Frames;
  readonly watch: PageWatch;
  readonly viewport: { readonly width: number; readonly height: number; readonly deviceScale: number };
  readonly dress: Dress;
  /** Number of the document, as the watch counts: looking at another one fails. */
  readonly document: number;
  /** Whether images that load on sight are wanted before anybody sees them. */
  readonly eager: boolean;
}

/** A frame that does not answer has its own trouble; the page is not held up by it. */
const FRAME_MS = 1_000;
/** A page of advertisements may hold hundreds. */
const FRAMES = 20;
/** Width of the frames that are compared, device pixels. */
const GLANCE_WIDTH = 320;

/** Brings the page to rest and looks at it. Fails with `Moved`, and with `invalid_input` for a selector that is none. */
export async function look(bound: Deadline, subject: Subject): Promise<Survey> {
  const { frames, dress, eager } = subject;
  const [main, others] = await Promise.all([
    surveyMain(bound, frames, dress, eager).catch(explain),
    lookAtChildren(bound, frames, eager),
  ]);
  assertHere(subject);
  return others.reduce<Survey>((whole, part) => (part === undefined ? whole : join(whole, part)), main);
}

/** Fails with `Moved` when the page is at, or on its way to, another document. */
export function assertHere({ watch, document }: Subject): void {
  if (!watch.parsed || watch.documents !== document) throw new Moved();
}

/** A small picture of the viewport, as a digest: two that are equal saw the same. */
export async function glance(bound: Deadline, subject: Subject, at: Survey): Promise<string> {
  const { width, height, deviceScale } = subject.viewport;
  const scale = Math.min(1, GLANCE_WIDTH / width) / deviceScale;
  const clip = { x: at.scrollX, y: at.scrollY, width, height, scale };
  try {
    const frame = await bound.race(subject.cdp.send('Page.captureScreenshot', { format: 'jpeg', quality: 50, clip }));
    return createHash('sha1').update(frame.data).digest('base64');
  } catch (error) {
    assertHere(subject);
    throw error;
  }
}

async function surveyMain(bound: Deadline, frames: Frames, dress: Dress, eager: boolean): Promise<Survey> {
  return await frames.callMain<Survey>(bound, callInPage('survey', { ...dress, eager }));
}

async function lookAtChildren(bound: Deadline, frames: Frames, eager: boolean): Promise<(Survey | undefined)[]> {
  const children = await frames.children(bound);
  const script = callInPage('survey', { ...FRAME_DRESS, eager });
  const looks = children.slice(0, FRAMES).map(async (frame) => await lookAtChild(bound, frames, frame, script));
  return await Promise.all(looks);
}

async function lookAtChild(
  bound: Deadline,
  frames: Frames,
  frame: PageFrame,
  script: string,
): Promise<Survey | undefined> {
  return await bound.attempt(FRAME_MS, async (limit) => {
    try {
      return await frames.call<Survey>(limit, frame, script);
    } catch (error) {
      if (isMoved(error) || error instanceof ScriptError) return undefined;
      throw error;
    }
  });
}

function explain(error: unknown): never {
  if (isMoved(error)) throw new Moved('', { cause: error });
  if (/SyntaxError.*querySelector/.test(messageOf(error))) {
    throw new JobFailure('invalid_input', 'A selector under `hide` or `mask` is no CSS selector.', { cause: error });
  }
  throw error;
}

function join(whole: Survey, part: Survey): Survey {
  return {
    ...whole,
    fontsLoading: whole.fontsLoading || part.fontsLoading,
    images: [...whole.images, ...part.images],
    restless: whole.restless + part.restless,
    signature: `${whole.signature} | ${part.signature}`,
  };
}
