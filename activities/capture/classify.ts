import type { ErrorCode } from '../../workflows/contract/index.js';
import { JobFailure, messageOf } from '../failure.js';

/**
 * Playwright reports by message only. Everything that reads those messages stands in this file; the first row that
 * matches decides, so the special ones come first.
 */
const MESSAGES: readonly (readonly [RegExp, ErrorCode])[] = [
  [/(page|target) crashed|unable to capture screenshot/i, 'page_crashed'],
  [/ERR_OUT_OF_MEMORY/, 'out_of_memory'],
  [
    /ERR_(INVALID_AUTH_CREDENTIALS|TOO_MANY_RETRIES|UNEXPECTED_PROXY_AUTH|PROXY_AUTH_\w+|UNSUPPORTED_AUTH_SCHEME)/,
    'auth_failed',
  ],
  // A navigation that was cut because its page went away.
  [/maybe frame was detached|inspected target navigated or closed/i, 'connection_lost'],
  [/download is starting/i, 'not_a_page'],
  [/net::ERR_|NS_ERROR_|SSL_ERROR_/, 'navigation_failed'],
  [
    /(page, context or browser|target|browser|connection|session|websocket)( has been| was|)( closed| disconnected)/i,
    'connection_lost',
  ],
  [/ECONNRESET|EPIPE|ECONNREFUSED|socket hang up|not attached to an active page/i, 'connection_lost'],
  [/while parsing (css )?selector|not a valid selector|unknown engine|selector .* does not match/i, 'invalid_input'],
  [/invalid timezone|unsupported locale|invalid locale/i, 'invalid_input'],
  [/timeout .*exceeded/i, 'attempt_timeout'],
  // Playwright's own scripts meet the page's objects too, and fail at those that it replaced.
  [/^(page|frame|locator|elementHandle)\.\w+: (\w*Error|Failed to execute)\b/, 'source_error'],
];

const MOVED =
  /execution context was destroyed|cannot find context|frame (was|has been) detached|interrupted by another navigation|not attached to an active page/i;

/** Thrown when another document took the page, or the frame, over: the one that was looked at is gone. */
export class Moved extends Error {
  override readonly name = 'Moved';
}

/** Thrown in a page by a script of ours: the page is built in a way that the script did not expect. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError';
}

/** The code of whatever a browser call threw; `undefined` for what nobody knows, which may be a defect of ours. */
export function classify(error: unknown): ErrorCode | undefined {
  if (error instanceof JobFailure) return error.code;
  if (error instanceof ScriptError) return 'source_error';
  const message = messageOf(error);
  return MESSAGES.find(([pattern]) => pattern.test(message))?.[1];
}

/** Whether the call failed only because the document, or the frame, that it was made in has gone. */
export function isMoved(error: unknown): boolean {
  if (error instanceof JobFailure || error instanceof ScriptError) return false;
  return error instanceof Moved || MOVED.test(messageOf(error));
}

/** The same error as a failure with its code, or as it is when nobody knows it: a defect must not look like the page's. */
export function asFailure(error: unknown): Error {
  const code = classify(error);
  if (error instanceof JobFailure) return error;
  if (code !== undefined) return new JobFailure(code, messageOf(error), { cause: error });
  return error instanceof Error ? error : new Error(messageOf(error));
}
