/** What a workflow worker registers: the entry of the prebuilt bundle. */
export { pageScreenshot } from './page-screenshot.js';
