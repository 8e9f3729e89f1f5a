import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { Context } from '@temporalio/activity';
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
        ...(error instanceof JobFailure ? detailsOf(error) : {}),
      });
    }
  },
};

/** A fraction of the time-out that workflows give these activities, 5 s: what is missed now and then says nothing. */
const HEARTBEAT_MS = 1_000;

/** Heartbeats as long as this process works on it: one that died is found soon, and a cancel reaches the activity. */
export const heartbeats: ActivityInboundCallsInterceptor = {
  async execute(input, next) {
    const context = Context.current();
    const timer = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
    try {
      return await next(input);
    } finally {
      clearInterval(timer);
    }
  },
};

function detailsOf({ evidence, steps }: JobFailure): { details?: unknown[] } {
  if (evidence === undefined && steps === undefined) return {};
  return { details: [{ ...(evidence && { evidence }), ...(steps && { steps }) }] };
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'Error';
}
