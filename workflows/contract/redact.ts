/**
 * The one place that takes secrets out of text that people will read: errors, logs, results, memo. It is pure, so that
 * workflow code may use it. It errs on the side of removing too much: whole query strings go, not known names only.
 */

const ENDPOINT = /\bwss?:\/\/[^\s"'<>)\]]+/gi;
const QUERY = /(https?:\/\/[^\s"'<>?#)\]]+)\?(?!\[redacted\])[^\s"'<>)\]]*/gi;
// Begins at a word: without that a long word is read once for each of its letters.
const CREDENTIALS = /\b(\w+:\/\/)[^\s/@:]+(?::[^\s/@]*)?@/g;
const HEADER =
  /\b((?:proxy-)?authorization|set-cookie|cookie|x-api-key|token|password|secret)\b(["']?\s*[:=]\s*)[^\n\r,}]+/gi;
const BEARER = /\bbearer\s+[^\s"',]+/gi;
/** Playwright repeats its call log, which names endpoints and headers. */
const CALL_LOG = /\n?={3,} logs? ={3,}[\s\S]*|\n?Call log:[\s\S]*/i;
const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

export function redact(text: string, limit = 2_000): string {
  const clean = text
    .replace(COLOURS, '')
    .replace(CALL_LOG, '')
    .replace(ENDPOINT, '[endpoint]')
    .replace(CREDENTIALS, '$1')
    .replace(QUERY, '$1?[redacted]')
    .replace(BEARER, 'Bearer [redacted]')
    .replace(HEADER, '$1$2[redacted]');
  return clean.length > limit ? `${clean.slice(0, limit - 1)}…` : clean;
}
