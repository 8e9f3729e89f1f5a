import type { z } from 'zod';
import type { Job, JobBounds } from './job.js';
import type { JobClass, Kind } from './names.js';
import type { INPUT_SCHEMAS } from './schema/job.js';

/** What a caller says about one job. `user` and `workspace` come from the caller's own authentication. */
export interface Submission<Input> {
  readonly input: Input;
  readonly workspace: string;
  readonly user: string;
  readonly class?: JobClass;
  /** Submitting the same key again gives the same job. Defaults to the operation and the digest of the input. */
  readonly key?: string;
  /** The caller's operation that this job serves. */
  readonly operation?: string;
  /** Lower bounds than the operator's, in milliseconds. */
  readonly bounds?: JobBounds;
}

/** An input as callers write it, before defaults. */
export type RequestOf<K extends Kind> = z.input<(typeof INPUT_SCHEMAS)[K]>;

/** A job that is ready to be started, under the workflow id that its key gives it. */
export interface PreparedJob<K extends Kind = Kind> {
  readonly id: string;
  readonly job: Job<K>;
}
