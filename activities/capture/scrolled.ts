import type { Page } from 'playwright-core';

/** How far the page's document is scrolled, CSS pixels: what a box in the window lacks to its place in the document. */
export async function scrolled(page: Page): Promise<{ readonly x: number; readonly y: number }> {
  return await page.evaluate('({ x: scrollX, y: scrollY })');
}
