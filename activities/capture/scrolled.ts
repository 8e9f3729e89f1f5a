import type { Deadline } from '../deadline.js';
import type { Frames } from './frames.js';

/** How far the page's document is scrolled, CSS pixels: what a box in the window lacks to its place in the document. */
export async function scrolled(bound: Deadline, frames: Frames): Promise<{ readonly x: number; readonly y: number }> {
  return await frames.callMain(bound, '({ x: scrollX, y: scrollY })');
}
