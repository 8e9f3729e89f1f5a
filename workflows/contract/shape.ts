import { WORKSPACE_PATTERN } from './ids.js';
import { WORKFLOW_TYPES, type Kind } from './names.js';

/**
 * What workflow code itself relies on before the first activity has validated the job: a parent may start the workflow by
 * hand, and a workflow that meets a field of another type would hang in a failing workflow task. The schema says the rest.
 *
 * @returns what is wrong, undefined if nothing is
 */
export function malformation(job: unknown, workflowType: string): string | undefined {
  if (!isRecord(job)) return 'job: an object.';
  if (!isKindOf(job['kind'], workflowType)) return `kind: not the kind of the workflow type ${workflowType}.`;
  if (job['class'] !== 'interactive' && job['class'] !== 'background') return 'class: interactive or background.';
  if (!isText(job['workspace'], 64) || !WORKSPACE_PATTERN.test(job['workspace'])) return 'workspace: a workspace id.';
  const target = isRecord(job['input']) ? job['input']['target'] : undefined;
  if (!isRecord(target) || !isText(target['base'], 32) || !isText(target['path'], 2_048)) {
    return 'input.target: a base and a path.';
  }
  return areBounds(job['bounds']) ? undefined : 'bounds: numbers of milliseconds.';
}

function isKindOf(kind: unknown, workflowType: string): boolean {
  const known: Readonly<Record<string, string>> = WORKFLOW_TYPES satisfies Record<Kind, string>;
  return typeof kind === 'string' && Object.hasOwn(known, kind) && known[kind] === workflowType;
}

function areBounds(bounds: unknown): boolean {
  if (bounds === undefined) return true;
  return isRecord(bounds) && Object.values(bounds).every((value) => Number.isInteger(value) && Number(value) > 0);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value.length <= longest;
}
