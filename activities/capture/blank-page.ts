import type { Browser, BrowserContext, BrowserContextOptions, CDPSession, Page } from 'playwright-core';

/** A page that has not been anywhere, in a context that holds nothing else. */
export interface BlankPage {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly cdp: CDPSession;
}

/** What takes time in the browser but needs no target: it is done while the job's next step is still on its way. */
export async function openBlankPage(browser: Browser, options: BrowserContextOptions): Promise<BlankPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  return { context, page, cdp: await context.newCDPSession(page) };
}
