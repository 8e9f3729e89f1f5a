import type { Job, JobResult } from './contract/index.js';
import { runJob } from './lifecycle.js';

/** Takes one picture of one page and stores it; see `PageScreenshotInput` and `PageScreenshotResult`. */
export async function pageScreenshot(job: Job<'page_screenshot'>): Promise<JobResult<'page_screenshot'>> {
  return await runJob(job);
}
