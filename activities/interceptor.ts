import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { redact } from '../workflows/contract/index.js';
import { JobFailure, messageOf } from './failure.js';

/**
 * The one place where errors leave for the history: a `JobFailure` becomes an `ApplicationFailure` whose type is its code
 * and that Temporal does not retry; anything else stays retryable, with its message redacted.
 */
export const translateErrors: ActivityInboundCallsInterceptor = {
  async execute(input, next) {
    try {
      return await next(input);
    } catch (error) {
      if (error instanceof CancelledFailure || error instanceof ApplicationFailure) throw error;
      throw ApplicationFailure.create({
        type: error instanceof JobFailure ? error.code : nameOf(error),
        message: redact(messageOf(error)),
        nonRetryable: error instanceof JobFailure,
        ...(error instanceof JobFailure && error.evidence ? { details: [{ evidence: error.evidence }] } : {}),
      });
    }
  },
};

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'Error';
}
