import type { Finding } from '../../../workflows/contract/index.js';
import type { Deadline } from '../../deadline.js';
import { messageOf } from '../../failure.js';
import type { Frames, PageFrame } from '../frames.js';
import { plainUrl } from '../page-watch.js';
import { scrolled } from '../scrolled.js';

/** Where a frame's document begins in the main document, CSS pixels; its address when it is not the main one. */
export interface FramePlace {
  readonly frame?: string;
  readonly x: number;
  readonly y: number;
}

type Point = Pick<FramePlace, 'x' | 'y'>;

/** `null` for a frame without a box: it shows nothing. */
export async function placeOf(bound: Deadline, frames: Frames, frame: PageFrame): Promise<FramePlace | null> {
  if (frame.parent === undefined) return { x: 0, y: 0 };
  const [within, box] = await Promise.all([startOf(bound, frames, frame.parent), ownerBox(bound, frame, frame.parent)]);
  return within && box && { frame: plainUrl(frame.url), x: within.x + box.x, y: within.y + box.y };
}

/** Boxes are told from the corner of what the process draws: the window, or the frame that it was made for. */
async function startOf(bound: Deadline, frames: Frames, frame: PageFrame): Promise<Point | null> {
  let root = frame;
  while (root.parent?.session === root.session) root = root.parent;
  return root.parent === undefined ? await scrolled(bound, frames) : await placeOf(bound, frames, root);
}

async function ownerBox(bound: Deadline, { id }: PageFrame, { session }: PageFrame): Promise<Point | null> {
  const { backendNodeId } = await bound.race(session.send('DOM.getFrameOwner', { frameId: id }));
  try {
    const { model } = await bound.race(session.send('DOM.getBoxModel', { backendNodeId }));
    const [x = 0, y = 0] = model.content;
    return { x, y };
  } catch (error) {
    if (/could not compute box model/i.test(messageOf(error))) return null;
    throw error;
  }
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
