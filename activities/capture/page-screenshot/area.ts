import type { PageScreenshotInput } from '../../../workflows/contract/index.js';
import { JobFailure } from '../../failure.js';
import { contains, outward, type Box } from '../box.js';
import { scrolled } from '../scrolled.js';
import type { Visit } from '../visit.js';

export type Area = PageScreenshotInput['area'];

export interface Region {
  /** `null` stands for the viewport as it is. */
  readonly clip: Box | null;
  /** Whether any of it lies outside the viewport: drawing that takes several times as long. */
  readonly beyondViewport: boolean;
  readonly truncated: boolean;
}

/** A selector of an element that scripts make needs `waitFor`; this is for the page's own last touches. */
const ELEMENT_MS = 5_000;

/** How far down the area reaches, for the content that is made on sight. Fails with `selector_not_found`. */
export async function bottomOf(visit: Visit, area: Area): Promise<number | null> {
  switch (area.type) {
    case 'viewport':
      return null;
    case 'full_page':
      return area.maxHeight;
    case 'clip':
      return area.y + area.height;
    case 'element': {
      const box = await boxOf(visit, area.selector, 'bring');
      return box.y + box.height;
    }
  }
}

/** The part of the settled page that the picture shows. Fails with `selector_not_found`. */
export async function regionOf(visit: Visit, area: Area): Promise<Region> {
  if (area.type === 'viewport') return { clip: null, beyondViewport: false, truncated: false };
  const asked = area.type === 'element' ? await boxOf(visit, area.selector, 'leave') : area;
  const { bound, frames, cdp } = visit;
  const metrics = await frames.answer(bound, cdp.send('Page.getLayoutMetrics'));
  const page = outward(metrics.cssContentSize);
  const clip = 'maxHeight' in asked ? { ...page, height: Math.min(page.height, asked.maxHeight) } : outward(asked);
  const { pageX, pageY, clientWidth, clientHeight } = metrics.cssVisualViewport;
  const shown = { x: pageX, y: pageY, width: clientWidth, height: clientHeight };
  return { clip, beyondViewport: !contains(shown, clip), truncated: 'maxHeight' in asked && page.height > clip.height };
}

/**
 * The element's box in the document. Before the page settles, an element inside a scrolling box is brought into its view;
 * afterwards nothing is scrolled any more, since the page may answer to that with what nobody asked for.
 */
async function boxOf({ bound, page, frames }: Visit, selector: string, how: 'bring' | 'leave'): Promise<Box> {
  const element = page.locator(selector).first();
  const box = await bound.attempt(ELEMENT_MS, async (limit) => {
    await element.waitFor({ state: 'visible', timeout: 0 });
    if (how === 'bring') {
      await element.scrollIntoViewIfNeeded({ timeout: 0 });
      await frames.callMain(limit, `window.scrollTo({ top: 0, left: 0, behavior: 'instant' })`);
    }
    const [seen, offset] = await Promise.all([element.boundingBox({ timeout: 0 }), scrolled(limit, frames)]);
    return seen && { ...seen, x: seen.x + offset.x, y: seen.y + offset.y };
  });
  if (!box) throw new JobFailure('selector_not_found', `Not visible: ${selector}`);
  return box;
}
