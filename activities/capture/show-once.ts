import type { Deadline } from '../deadline.js';
import type { Frames } from './frames.js';
import { callInPage } from './in-page/index.js';

const LAZY_MS = 10_000;
/** At 800 px each, more than the longest page that is captured. */
const STEPS = 128;
/** A page that gets no frames is not waited for: observers have none either. */
const DRAWN_MS = 100;

const TO_TOP = `window.scrollTo({ top: 0, left: 0, behavior: 'instant' })`;
const DRAWN = 'new Promise((drawn) => requestAnimationFrame(() => drawn(null)))';

/**
 * Shows every part of the page down to `bottom` once, one viewport at a time, so that content made on sight is made, and
 * returns to the top. A page that grows meanwhile is followed. Tells whether all of it was seen. Steered from here and not
 * in the page, whose timers stand still where its scripts are off.
 */
export async function showOnce(deadline: Deadline, frames: Frames, bottom: number): Promise<boolean> {
  const complete = await deadline.attempt(LAZY_MS, async (bound) => {
    const main = await frames.main(bound);
    // Asked apart from scrolling: the next scrolling comes after the frame, when observers have been told of it.
    const drawn = async (): Promise<void> => {
      await bound.attempt(DRAWN_MS, async (limit) => await frames.call(limit, main, DRAWN));
    };
    const down = async (from: number): Promise<number> =>
      await frames.call<number>(bound, main, callInPage('scroll', { from, bottom }));
    let top = 0;
    let next = await down(top);
    for (let step = 0; step < STEPS && next > top; step += 1) {
      top = next;
      await drawn();
      next = await down(top);
    }
    if (top > 0) {
      await frames.call(bound, main, TO_TOP);
      await drawn();
    }
    return next === top;
  });
  return complete ?? false;
}
