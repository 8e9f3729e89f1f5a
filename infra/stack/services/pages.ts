import { named, startOwnProgram } from './own-program.js';
import { statusOf, untilAnswered } from './readiness.js';
import type { Service, ServiceOptions } from './service.js';

const NAME = 'pages';
const READY_WITHIN_MS = 20_000;

export interface PagesService extends Service {
  /** The base of the bundled pages, with a slash at its end. */
  readonly url: string;
}

/** The server of the bundled real pages. */
export function startPages(options: ServiceOptions): Promise<PagesService> {
  return startOwnProgram(
    {
      name: NAME,
      path: 'infra/gallery/main.js',
      env: { DARKROOM_PAGES_PORT: '0', DARKROOM_PARENT: 'ipc' },
      readyWithinMs: READY_WITHIN_MS,
    },
    options,
    async (ready) => {
      const url = new URL('/', named(NAME, 'url', ready.url)).href;
      await untilAnswered(READY_WITHIN_MS, () => statusOf(url)); // There is no page at the base itself.
      return { url };
    },
  );
}
