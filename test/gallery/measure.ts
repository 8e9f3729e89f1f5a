import { createHash } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { HANDLERS, openBlankPage } from '../../activities/capture/index.js';
import { visitPage } from '../../activities/capture/visit.js';
import { resolveTarget } from '../../activities/capture/target.js';
import { Deadline } from '../../activities/deadline.js';
import type { PageScreenshotRequest } from '../../workflows/contract/index.js';
import { pageScreenshotInput } from '../../workflows/contract/schema/index.js';
import { capture, decode } from '../support/capture.js';
import type { Cell } from '../support/ink.js';
import { mainColour, type Facts } from './checker.js';

/** Elements of a page that facts are about. */
export interface Looked {
  readonly colours: readonly string[];
  readonly glyphs: readonly string[];
}

interface Measured {
  readonly colours: readonly { readonly selector: string; readonly box: Cell }[];
  readonly glyphs: Facts['glyphs'];
}

/** Facts of a page as it is rendered now: boxes from the page itself, colours from its picture. To be looked at by a person. */
export async function factsOf(
  browser: Browser,
  base: URL,
  request: PageScreenshotRequest,
  looked: Looked,
): Promise<{ readonly facts: Facts; readonly bytes: Buffer }> {
  const { bytes, result } = await capture({ browser, base }, request);
  const png = decode(bytes);
  const measured = await measure(browser, base, request, looked);
  const colours = measured.colours.map(({ selector, box: whole }) => {
    const box = shown(whole, result);
    return { selector, box, ...mainColour(png, box) };
  });
  return { bytes, facts: { size: { width: result.width, height: result.height }, colours, glyphs: measured.glyphs } };
}

/** The part of a box that the picture shows. */
function shown(box: Cell, picture: { readonly width: number; readonly height: number }): Cell {
  const x = Math.max(0, box.x);
  const y = Math.max(0, box.y);
  const width = Math.min(box.x + box.width, picture.width) - x;
  const height = Math.min(box.y + box.height, picture.height) - y;
  if (width <= 0 || height <= 0) throw new RangeError('The picture does not show the element.');
  return { x, y, width, height };
}

async function measure(browser: Browser, base: URL, request: PageScreenshotRequest, looked: Looked): Promise<Measured> {
  const input = pageScreenshotInput.parse(request);
  const blank = await openBlankPage(browser, HANDLERS.page_screenshot.contextOptions(input));
  const deadline = Deadline.after(60_000, 'attempt_timeout');
  const from = input.area.type === 'element' ? input.area.selector : null;
  const script = `(${MEASURE})(${JSON.stringify({ ...looked, from, scale: input.page.viewport.deviceScale })})`;
  try {
    const { outcome } = await visitPage(
      {
        deadline,
        answerMs: 30_000,
        blank: Promise.resolve(blank),
        url: resolveTarget({ pages: base }, input.target),
        browser: { version: browser.version(), fontSet: null },
        enter: () => undefined,
        store: async (name, stored, contentType) =>
          await Promise.resolve({
            key: name,
            contentType,
            bytes: stored.length,
            sha256: createHash('sha256').update(stored).digest('hex'),
          }),
      },
      input.page,
      {
        beyondViewport: input.area.type !== 'viewport',
        lazyUntil: async () => await Promise.resolve(input.area.type === 'full_page' ? input.area.maxHeight : null),
        work: async ({ page }) => await page.evaluate<Measured>(script),
      },
    );
    return outcome;
  } finally {
    deadline.stop();
    await blank.context.close();
  }
}

/** Runs in the page. Boxes are those of first matches, in device pixels, inside the picture. */
const MEASURE = `function measure({ colours, glyphs, from, scale }) {
  const origin = from === null ? { left: 0, top: 0 } : document.querySelector(from).getBoundingClientRect();
  const box = ({ left, top, width, height }) => ({
    x: Math.ceil((left - Math.floor(origin.left)) * scale),
    y: Math.ceil((top - Math.floor(origin.top)) * scale),
    width: Math.floor(width * scale),
    height: Math.floor(height * scale),
  });
  const find = (selector) => {
    const element = document.querySelector(selector);
    if (element === null) throw new Error('Nothing matches ' + selector);
    return element;
  };
  const characters = (selector) => {
    const walker = document.createTreeWalker(find(selector), NodeFilter.SHOW_TEXT);
    const found = [];
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      for (let at = 0; at < node.data.length; at += 1) {
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        if (/\\p{L}/u.test(node.data[at])) found.push({ character: node.data[at], box: box(range.getBoundingClientRect()) });
      }
    }
    return found;
  };
  return {
    colours: colours.map((selector) => ({ selector, box: box(find(selector).getBoundingClientRect()) })),
    glyphs: glyphs.map((selector) => {
      const found = characters(selector);
      return { selector, text: found.map(({ character }) => character).join(''), cells: found.map(({ box }) => box) };
    }),
  };
}`;
