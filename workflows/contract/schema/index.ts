export { componentDiagnosticsInput } from './component-diagnostics.js';
export { INPUT_SCHEMAS, jobBounds, jobSchema } from './job.js';
export { pageDiagnosticsInput } from './page-diagnostics.js';
export { pageScreenshotInput } from './page-screenshot.js';
export { prepareJob, problemOfJob, type Preparation, type Sha256 } from './prepare.js';
export { problemOf, type Problem } from './problems.js';
