import type { Kind } from '../../workflows/contract/index.js';
import type { KindHandler } from './kind.js';
import { pageScreenshot } from './page-screenshot/handler.js';

/** The handler of every kind. A new kind adds one line. */
export const HANDLERS = {
  page_screenshot: pageScreenshot,
} as const satisfies { readonly [K in Kind]: KindHandler<K> };
