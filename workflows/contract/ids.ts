import type { Job } from './job.js';
import type { Kind } from './names.js';

/** Opaque, since workspaces stand in workflow ids and search attributes, which are not encrypted. */
export const WORKSPACE_PATTERN = /^[A-Za-z0-9_-]{1,64}$/;

/** Workflow id of a job. `keyDigest` is the hex SHA-256 of the idempotency key: keys themselves never stand in ids. */
export function jobId(kind: Kind, workspace: string, keyDigest: string): string {
  return `${kind}/${workspace}/${keyDigest}`;
}

export function kindOfJob(id: string): string {
  return id.slice(0, id.indexOf('/'));
}

/**
 * The input as its digest sees it: keys sorted, and without what does not change the result, `artifact.expiresAt`. Class
 * and bounds stand beside the input, hence are left out too.
 */
export function canonicalInput(input: Job['input']): string {
  const { artifact, ...place } = input.target;
  const target =
    artifact === undefined ? place : { ...place, artifact: { id: artifact.id, version: artifact.version } };
  return JSON.stringify({ ...input, target }, (_, value: unknown) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
