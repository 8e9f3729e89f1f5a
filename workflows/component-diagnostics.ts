import type { Job, JobResult } from './contract/index.js';
import { runJob } from './lifecycle.js';

/** Diagnoses one component in each state of its profile; see `ComponentDiagnosticsInput` and `ComponentDiagnosticsResult`. */
export async function componentDiagnostics(job: Job): Promise<JobResult> {
  return await runJob(job);
}
