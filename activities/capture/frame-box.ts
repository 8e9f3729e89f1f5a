import type { Deadline } from '../deadline.js';
import { messageOf } from '../failure.js';
import type { Box } from './box.js';
import type { Frames, PageFrame } from './frames.js';
import { scrolled } from './scrolled.js';

/** Where a frame's document is shown in the main document, CSS pixels; `null` for one without a box: it shows nothing. */
export async function boxOfFrame(bound: Deadline, frames: Frames, frame: PageFrame): Promise<Box | null> {
  const { parent } = frame;
  if (parent === undefined) throw new Error('The main frame is no box of another.');
  const [start, box] = await Promise.all([startOf(bound, frames, parent), ownerBox(bound, frame, parent)]);
  return start && box && { ...box, x: start.x + box.x, y: start.y + box.y };
}

/** Boxes are told from the corner of what the process draws: the window, or the frame that it was made for. */
async function startOf(bound: Deadline, frames: Frames, frame: PageFrame): Promise<Pick<Box, 'x' | 'y'> | null> {
  let root = frame;
  while (root.parent?.session === root.session) root = root.parent;
  return root.parent === undefined ? await scrolled(bound, frames) : await boxOfFrame(bound, frames, root);
}

/** It has no box, or it went in this moment. */
const NO_BOX = /could not compute box model|frame with the given id|could not find node/i;

async function ownerBox(bound: Deadline, { id }: PageFrame, { session }: PageFrame): Promise<Box | null> {
  try {
    const { backendNodeId } = await bound.race(session.send('DOM.getFrameOwner', { frameId: id }));
    const { model } = await bound.race(session.send('DOM.getBoxModel', { backendNodeId }));
    return around(model.content);
  } catch (error) {
    if (NO_BOX.test(messageOf(error))) return null;
    throw error;
  }
}

/** Four corners, x before y; a frame may be turned. */
function around(corners: readonly number[]): Box {
  const xs = corners.filter((_, index) => index % 2 === 0);
  const ys = corners.filter((_, index) => index % 2 === 1);
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}
