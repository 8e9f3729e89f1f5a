import type { Frame } from 'playwright-core';
import type { Finding } from '../../../workflows/contract/index.js';
import { plainUrl } from '../page-watch.js';
import { scrolled } from '../scrolled.js';

/** Where a frame's document begins in the main document, CSS pixels; its address when it is not the main one. */
export interface FramePlace {
  readonly frame?: string;
  readonly x: number;
  readonly y: number;
}

/** `null` for a frame without a box: it shows nothing. */
export async function placeOf(frame: Frame): Promise<FramePlace | null> {
  const page = frame.page();
  if (frame === page.mainFrame()) return { x: 0, y: 0 };
  const [box, scroll] = await Promise.all([(await frame.frameElement()).boundingBox(), scrolled(page)]);
  return box === null ? null : { frame: plainUrl(frame.url()), x: box.x + scroll.x, y: box.y + scroll.y };
}

/** The finding as the main document sees it. */
export function placed(finding: Finding, { frame, x, y }: FramePlace): Finding {
  const { box } = finding;
  return {
    ...finding,
    ...(frame === undefined ? {} : { frame }),
    ...(box && { box: { ...box, x: box.x + x, y: box.y + y } }),
  };
}
