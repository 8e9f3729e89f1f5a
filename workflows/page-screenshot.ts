import type { Job, JobResult } from './contract/index.js';
import { runJob } from './lifecycle.js';

/** Takes one picture of one page and stores it; see `PageScreenshotInput` and `PageScreenshotResult`. */
export async function pageScreenshot(job: Job): Promise<JobResult> {
  return await runJob(job);
}
