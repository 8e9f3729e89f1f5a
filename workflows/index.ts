/** What parents import in workflow code (`darkroom/workflows`). */
export type { componentDiagnostics } from './component-diagnostics.js';
export * from './contract/index.js';
export { capacityGranted, sessionLost, timelineQuery } from './messages.js';
export type { pageDiagnostics } from './page-diagnostics.js';
export type { pageScreenshot } from './page-screenshot.js';
export * from './parents/index.js';
