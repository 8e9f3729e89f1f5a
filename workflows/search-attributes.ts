import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { keyword } from './contract/index.js';

/** Sets keywords of the running workflow, by name; what stands there already costs no event. */
export function setSearchAttributes(values: Readonly<Record<string, string>>): void {
  const known = workflowInfo().typedSearchAttributes;
  const changes = Object.entries(values)
    .map(([name, value]) => ({ key: keyword(name), value }))
    .filter(({ key, value }) => known.get(key) !== value);
  if (changes.length > 0) upsertSearchAttributes(changes);
}
