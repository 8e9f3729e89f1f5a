import type { JobError } from './errors.js';
import type { Results } from './kinds.js';
import type { Kind } from './names.js';

/** The immutable, versioned thing behind a job's target. */
export interface ArtifactRef {
  readonly id: string;
  readonly version: string;
}

/** What whoever takes a result over expects it to be of. */
export interface Expectation {
  /** The artifact and version that hold now, by the consumer's own records; null when the target is no artifact. */
  readonly artifact: ArtifactRef | null;
  readonly inputDigest: string;
  /** The consumer's own key, such as its operation: told to all who consume later, and kept in the ledger. */
  readonly by: string;
}

export interface ConsumeInput extends Expectation {
  readonly job: string;
}

/** A result is handed over only if it is of what was expected; a difference consumes nothing. */
export type Consumption<K extends Kind = Kind> =
  /** `already`: it was consumed before, by `by`. Its own key there means that an earlier answer was lost. */
  | { readonly state: 'consumed' | 'already'; readonly by: string; readonly result: Results[K] }
  /** The job has no result, or none yet. */
  | { readonly state: 'none' }
  /** `result_mismatch` */
  | { readonly state: 'refused'; readonly error: JobError };

/** Workflow type that consumes for a caller who is no workflow. */
export const CONSUME_WORKFLOW = 'consumeResult';

/** Its workflow id: equal calls at the same time share one. `digest` is the hex SHA-256 of `canonicalExpectation`. */
export function consumeId(job: string, digest: string): string {
  return `consume/${job}/${digest}`;
}

export function canonicalExpectation({ by, artifact, inputDigest }: Expectation): string {
  return JSON.stringify([by, artifact?.id ?? null, artifact?.version ?? null, inputDigest]);
}
