import type { Kind } from '../../workflows/contract/index.js';
import { componentDiagnostics } from './component-diagnostics/handler.js';
import type { KindHandler } from './kind.js';
import { pageDiagnostics } from './page-diagnostics/handler.js';
import { pageScreenshot } from './page-screenshot/handler.js';

/** The handler of every kind. A new kind adds one line. */
export const HANDLERS: { readonly [K in Kind]: KindHandler<K> } = {
  page_screenshot: pageScreenshot,
  page_diagnostics: pageDiagnostics,
  component_diagnostics: componentDiagnostics,
};
