import type { Job, JobResult } from './contract/index.js';
import { runJob } from './lifecycle.js';

/** Diagnoses one page and stores the report; see `PageDiagnosticsInput` and `PageDiagnosticsResult`. */
export async function pageDiagnostics(job: Job): Promise<JobResult> {
  return await runJob(job);
}
