import type { ComponentDiagnosticsInput, ComponentDiagnosticsResult } from './component-diagnostics.js';
import type { PageDiagnosticsInput, PageDiagnosticsResult } from './page-diagnostics.js';
import type { PageScreenshotInput, PageScreenshotResult } from './page-screenshot.js';

/** What each kind takes and gives. A new kind adds one line here and in `WORKFLOW_TYPES`. */
export interface Inputs {
  readonly page_screenshot: PageScreenshotInput;
  readonly page_diagnostics: PageDiagnosticsInput;
  readonly component_diagnostics: ComponentDiagnosticsInput;
}

export interface Results {
  readonly page_screenshot: PageScreenshotResult;
  readonly page_diagnostics: PageDiagnosticsResult;
  readonly component_diagnostics: ComponentDiagnosticsResult;
}
