import { defineSearchAttributeKey, SearchAttributeType, type SearchAttributePair } from '@temporalio/common';
import type { Job } from './job.js';
import { SEARCH_ATTRIBUTES } from './names.js';

const keyword = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);

export const SEARCH_ATTRIBUTE_KEYS = {
  kind: keyword(SEARCH_ATTRIBUTES.kind),
  state: keyword(SEARCH_ATTRIBUTES.state),
  class: keyword(SEARCH_ATTRIBUTES.class),
  workspace: keyword(SEARCH_ATTRIBUTES.workspace),
  node: keyword(SEARCH_ATTRIBUTES.node),
  errorCode: keyword(SEARCH_ATTRIBUTES.errorCode),
} as const;

/** Those of a job that begins. Who starts its workflow gives them along; a run that lacks one adds it itself. */
export function initialSearchAttributes({ kind, class: jobClass, workspace }: Job): SearchAttributePair[] {
  const { kind: KIND, class: CLASS, workspace: WORKSPACE, state: STATE } = SEARCH_ATTRIBUTE_KEYS;
  return [
    { key: KIND, value: kind },
    { key: CLASS, value: jobClass },
    { key: WORKSPACE, value: workspace },
    { key: STATE, value: 'pending' },
  ];
}
