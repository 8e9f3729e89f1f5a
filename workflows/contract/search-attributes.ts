import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { Job } from './job.js';
import { SEARCH_ATTRIBUTES } from './names.js';

/** The key under which Temporal's SDK knows a keyword of this name. */
export function keyword(name: string) {
  return defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);
}

/** Those of a job that begins, by name. Who starts its workflow gives them along; a run that lacks one adds it itself. */
export function initialSearchAttributes(job: Job): Readonly<Record<string, string>> {
  return {
    [SEARCH_ATTRIBUTES.kind]: job.kind,
    [SEARCH_ATTRIBUTES.class]: job.class,
    [SEARCH_ATTRIBUTES.workspace]: job.workspace,
    [SEARCH_ATTRIBUTES.state]: 'pending',
  };
}
