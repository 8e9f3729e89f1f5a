import type { Finding } from '../../../workflows/contract/index.js';
import type { Deadline } from '../../deadline.js';
import { boxOfFrame } from '../frame-box.js';
import type { Frames, PageFrame } from '../frames.js';
import { plainUrl } from '../page-watch.js';

/** Where a frame's document begins in the main document, CSS pixels; its address when it is not the main one. */
export interface FramePlace {
  readonly frame?: string;
  readonly x: number;
  readonly y: number;
}

/** `null` for a frame without a box: it shows nothing. */
export async function placeOf(bound: Deadline, frames: Frames, frame: PageFrame): Promise<FramePlace | null> {
  if (frame.parent === undefined) return { x: 0, y: 0 };
  const box = await boxOfFrame(bound, frames, frame);
  return box && { frame: plainUrl(frame.url), x: box.x, y: box.y };
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
