import type { Job } from './job.js';
import { SEARCH_ATTRIBUTES } from './names.js';

/** Those of a job that begins, by name. Who starts its workflow gives them along; a run that lacks one adds it itself. */
export function initialSearchAttributes(job: Job): Readonly<Record<string, string>> {
  return {
    [SEARCH_ATTRIBUTES.kind]: job.kind,
    [SEARCH_ATTRIBUTES.class]: job.class,
    [SEARCH_ATTRIBUTES.workspace]: job.workspace,
    [SEARCH_ATTRIBUTES.state]: 'pending',
  };
}
