import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import type { CaptureSetting } from './capture.js';
import { launchChromium } from './chromium.js';
import { startFixtureServer, type FixtureServer } from './fixture-server.js';

/** A browser and the fixture pages, for the tests of one file. */
export interface Site {
  readonly browser: Browser;
  readonly pages: FixtureServer;
  /** Both, as captures take them. */
  readonly setting: Pick<CaptureSetting, 'browser' | 'base'>;
}

/** Starts them before the file's tests and ends them after; until then there is none. */
export function useSite(): Site {
  let started: { readonly browser: Browser; readonly pages: FixtureServer } | undefined;
  beforeAll(async () => {
    const [browser, pages] = await Promise.all([launchChromium(), startFixtureServer()]);
    started = { browser, pages };
  });
  afterAll(async () => {
    await Promise.all([started?.browser.close(), started?.pages.close()]);
  });
  const running = () => {
    if (started === undefined) throw new Error('Nothing is started before the tests are.');
    return started;
  };
  return {
    get browser() {
      return running().browser;
    },
    get pages() {
      return running().pages;
    },
    get setting() {
      const { browser, pages } = running();
      return { browser, base: pages.url };
    },
  };
}
