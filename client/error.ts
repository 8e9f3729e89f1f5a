import { describeError, type ErrorCode, type JobError } from '../workflows/contract/index.js';

/** A refusal before a job exists. Branch on `code`. */
export class DarkroomError extends Error implements JobError {
  override readonly name = 'DarkroomError';
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly layer: JobError['layer'];

  constructor(code: ErrorCode, detail?: string) {
    const described = describeError(code, detail);
    super(described.message);
    this.code = code;
    this.retryable = described.retryable;
    this.layer = described.layer;
  }
}
