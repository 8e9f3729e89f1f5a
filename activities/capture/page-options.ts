import type { BrowserContextOptions } from 'playwright-core';
import type { PageScreenshotInput } from '../../workflows/contract/index.js';

export type PageOptions = PageScreenshotInput['page'];

/** The context that a page asks for. It keeps nothing, takes no downloads and runs no service worker. */
export function contextOptions(page: PageOptions): BrowserContextOptions {
  const { width, height, deviceScale, mobile, touch } = page.viewport;
  return {
    viewport: { width, height },
    screen: { width, height },
    deviceScaleFactor: deviceScale,
    isMobile: mobile,
    hasTouch: touch,
    colorScheme: page.colorScheme,
    reducedMotion: page.reducedMotion ? 'reduce' : 'no-preference',
    locale: page.locale,
    timezoneId: page.timezone,
    javaScriptEnabled: page.javaScript,
    serviceWorkers: 'block',
    acceptDownloads: false,
    ...(page.userAgent === undefined ? {} : { userAgent: page.userAgent }),
  };
}
