import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { NodeError } from '../errors.js';

const TRACKING_ID = /^[A-Za-z0-9_-]{1,31}$/;
const WHOLE_NUMBER = /^\d{1,15}$/;

export type Address = { path: string; query: URLSearchParams };

/** Path (without a trailing slash) and query of a request; anything that is no path is `not_found`. */
export function readAddress(request: IncomingMessage): Address {
  const target = request.url ?? '/';
  if (!target.startsWith('/')) throw new NodeError('not_found', 'no such path');
  const [path, query] = splitOnce(target, '?');
  return { path: path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path, query: new URLSearchParams(query) };
}

/** @throws NodeError `unauthorized` unless the request carries the token in `?token=` or as a bearer */
export function checkToken(request: IncomingMessage, query: URLSearchParams, token: string): void {
  const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const given = query.get('token') ?? bearer;
  if (given === undefined || !equal(given, token)) throw new NodeError('unauthorized', 'token missing or wrong');
}

/**
 * Browsers send `Origin` with every WebSocket and drivers send none, so that no web page can drive a node,
 * not even one that a session of this node shows and that has learnt the token.
 *
 * @throws NodeError `origin_forbidden`
 */
export function checkOrigin(request: IncomingMessage): void {
  if (request.headers.origin === undefined) return;
  throw new NodeError('origin_forbidden', 'requests with an Origin header come from web pages, which may not connect');
}

/** @throws NodeError `tracking_id_invalid` */
export function readTrackingId(query: URLSearchParams): string | null {
  const given = query.get('trackingId');
  if (given === null) return null;
  if (isTrackingId(given)) return given;
  throw new NodeError('tracking_id_invalid', 'trackingId takes 1 to 31 characters of [A-Za-z0-9_-]');
}

export function isTrackingId(text: string): boolean {
  return TRACKING_ID.test(text);
}

/**
 * The session's limit in milliseconds: the node's, or less when the client asks for less. Never more.
 *
 * @throws NodeError `timeout_invalid` for 0, negative values, fractions and text
 */
export function readLimit(query: URLSearchParams, sessionLimitMs: number): number {
  const given = query.get('timeout');
  if (given === null) return sessionLimitMs;
  const asked = WHOLE_NUMBER.test(given) ? Number(given) : 0;
  if (asked > 0) return Math.min(asked, sessionLimitMs);
  throw new NodeError('timeout_invalid', 'timeout takes a whole number of milliseconds above 0');
}

// Digests have one length, so that not even the token's length shows in the time taken.
function equal(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function splitOnce(text: string, separator: string): [string, string] {
  const index = text.indexOf(separator);
  return index === -1 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)];
}
