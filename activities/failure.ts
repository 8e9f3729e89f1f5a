import { describeError, redact, type ErrorCode, type Evidence, type StepTime } from '../workflows/contract/index.js';

export interface FailureOptions extends ErrorOptions {
  readonly evidence?: Evidence | undefined;
  readonly steps?: readonly StepTime[] | undefined;
}

/** A failure with its stable code. Everything that activities throw on purpose is one; the message is already redacted. */
export class JobFailure extends Error {
  override readonly name = 'JobFailure';
  readonly code: ErrorCode;
  readonly detail: string;
  /** What was kept of the page, where it failed on one. */
  readonly evidence: Evidence | undefined;
  /** Where its time went, where it failed in a capture. */
  readonly steps: readonly StepTime[] | undefined;

  constructor(code: ErrorCode, detail = '', options?: FailureOptions) {
    const clean = redact(detail);
    super(describeError(code, clean).message, options);
    this.code = code;
    this.detail = clean;
    this.evidence = options?.evidence;
    this.steps = options?.steps;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
