import type { PageScreenshotInput } from '../../workflows/contract/index.js';
import { JobFailure } from '../failure.js';

export type Target = PageScreenshotInput['target'];

/** Decoding stops here: whoever needs a third layer of percent signs is not naming a page. */
const MAX_DECODINGS = 3;

const FORBIDDEN: readonly (readonly [RegExp, string])[] = [
  // eslint-disable-next-line no-control-regex -- control characters are exactly what is looked for
  [/[\u0000-\u001f\u007f]/, 'control characters'],
  [/\\/, 'a backslash'],
  [/^\/\//, 'a host'],
  // Some servers cut the parameters of a segment off before they look at it: `/..;a/`.
  [/(^|\/)\.\.?(;[^/]*)?(\/|$)/, 'a dot segment'],
];

/**
 * The URL of a target, inside its base. `bases` come from the operator's configuration: their path is the prefix that
 * the result stays under. Fails with `target_forbidden` for a base that is not configured and for every path that
 * leaves its base, plainly or once decoded.
 */
export function resolveTarget(bases: Readonly<Record<string, URL>>, target: Target): URL {
  const base = Object.hasOwn(bases, target.base) ? bases[target.base] : undefined;
  if (base === undefined) throw new JobFailure('target_forbidden', `No base is named ${target.base}.`);
  for (const reading of readings(target.path)) refuse(reading);

  const prefix = base.pathname.endsWith('/') ? base.pathname : `${base.pathname}/`;
  const url = new URL(base.origin);
  // Assigned and not resolved: a setter of `URL` never changes the host, and it escapes `?` and `#`.
  url.pathname = `${prefix}${target.path.slice(1)}`;
  for (const [name, value] of Object.entries(target.query ?? {})) url.searchParams.append(name, value);

  if (url.origin !== base.origin || !url.pathname.startsWith(prefix)) {
    throw new JobFailure('target_forbidden', 'The path leaves its base.');
  }
  return url;
}

/** The path as written, and as every server that decodes it once more might read it. */
function readings(path: string): readonly string[] {
  const found = [path];
  for (let reading = path; reading.includes('%');) {
    const decoded = decode(reading);
    // A percent sign that was encoded once is a percent sign now.
    if (decoded === undefined && found.length > 1) break;
    if (decoded === undefined) throw new JobFailure('target_forbidden', 'The path has a malformed escape.');
    if (decoded === reading) break;
    if (found.push(decoded) > MAX_DECODINGS) throw new JobFailure('target_forbidden', 'The path is encoded too often.');
    reading = decoded;
  }
  return found;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function refuse(reading: string): void {
  for (const [pattern, what] of FORBIDDEN) {
    if (pattern.test(reading)) throw new JobFailure('target_forbidden', `The path contains ${what}.`);
  }
}
