import { describeError, redact, type ErrorCode } from '../workflows/contract/index.js';

/** A failure with its stable code. Everything that activities throw on purpose is one; the message is already redacted. */
export class JobFailure extends Error {
  override readonly name = 'JobFailure';
  readonly code: ErrorCode;
  readonly detail: string;

  constructor(code: ErrorCode, detail = '', options?: ErrorOptions) {
    const clean = redact(detail);
    super(describeError(code, clean).message, options);
    this.code = code;
    this.detail = clean;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
