import type { PageScreenshotInput } from '../../../workflows/contract/index.js';
import { JobFailure } from '../../failure.js';
import type { Visit } from '../visit.js';

export type Area = PageScreenshotInput['area'];

/** A part of the document, CSS pixels from its top left corner; `null` stands for the viewport as it is. */
export interface Region {
  readonly clip: { readonly x: number; readonly y: number; readonly width: number; readonly height: number } | null;
  readonly truncated: boolean;
}

type Box = NonNullable<Region['clip']>;

/** A selector of an element that scripts make needs `waitFor`; this is for the page's own last touches. */
const ELEMENT_MS = 5_000;

/** How far down the area reaches, for the content that is made on sight. Fails with `selector_not_found`. */
export async function bottomOf(visit: Visit, area: Area): Promise<number | null> {
  if (area.type === 'viewport') return null;
  if (area.type === 'full_page') return area.maxHeight;
  if (area.type === 'clip') return area.y + area.height;
  const box = await boxOf(visit, area.selector);
  return box.y + box.height;
}

/** The part of the settled page that the picture shows. Fails with `selector_not_found`. */
export async function regionOf(visit: Visit, area: Area): Promise<Region> {
  if (area.type === 'viewport') return { clip: null, truncated: false };
  if (area.type === 'full_page') return await wholePage(visit, area.maxHeight);
  const box = area.type === 'clip' ? area : await boxOf(visit, area.selector);
  return { clip: outward(box), truncated: false };
}

async function wholePage({ bound, cdp }: Visit, maxHeight: number): Promise<Region> {
  const { cssContentSize: content } = await bound.race(cdp.send('Page.getLayoutMetrics'));
  const height = Math.ceil(content.height);
  return {
    clip: { x: 0, y: 0, width: Math.ceil(content.width), height: Math.min(height, maxHeight) },
    truncated: height > maxHeight,
  };
}

/** The element's box in the document; elements inside a scrolling box are brought into its view first. */
async function boxOf({ bound, page }: Visit, selector: string): Promise<Box> {
  const element = page.locator(selector).first();
  const box = await bound.attempt(ELEMENT_MS, async () => {
    await element.waitFor({ state: 'visible', timeout: 0 });
    await element.scrollIntoViewIfNeeded({ timeout: 0 });
    await page.evaluate(`window.scrollTo({ top: 0, left: 0, behavior: 'instant' })`);
    return await element.boundingBox({ timeout: 0 });
  });
  if (!box) throw new JobFailure('selector_not_found', `Not visible: ${selector}`);
  return box;
}

function outward({ x, y, width, height }: Box): Box {
  const left = Math.floor(x);
  const top = Math.floor(y);
  return { x: left, y: top, width: Math.ceil(x + width) - left, height: Math.ceil(y + height) - top };
}
