import type { PageOptions } from './page-options.js';

/** Every frame: a caret blinks, and smooth scrolling would outlast the jump that asked for it. */
const REST = '*, *::before, *::after { caret-color: transparent !important; scroll-behavior: auto !important; }';

export interface Dress {
  /** Sheets that are added after the page's own, in order. */
  readonly styles: readonly string[];
  /** CSS selectors that have to be valid. */
  readonly selectors: readonly string[];
}

export const FRAME_DRESS: Dress = { styles: [REST], selectors: [] };

/** What a page wears while it is captured: its options `css` and `hide`, in the main frame. */
export function dressOf(page: PageOptions): Dress {
  const hidden = page.hide.map((selector) => `:is(${selector}), :is(${selector}) * { visibility: hidden !important; }`);
  return {
    styles: [REST, ...hidden, ...(page.css === undefined ? [] : [page.css])],
    selectors: [...page.hide, ...page.mask],
  };
}
