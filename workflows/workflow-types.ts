/** What a workflow worker registers: the entry of the prebuilt bundle. */
export { componentDiagnostics } from './component-diagnostics.js';
export { consumeResult } from './consume-result.js';
export { pageDiagnostics } from './page-diagnostics.js';
export { pageScreenshot } from './page-screenshot.js';
export { sweep } from './sweep.js';
