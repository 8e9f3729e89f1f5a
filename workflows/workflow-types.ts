/** What a workflow worker registers: the entry of the prebuilt bundle. */
export { pageDiagnostics } from './page-diagnostics.js';
export { pageScreenshot } from './page-screenshot.js';
