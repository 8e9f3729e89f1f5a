import type { ErrorCode } from './errors.js';
import type { StoredObject } from './page-screenshot.js';

/** What is kept of an attempt that failed on its page, for as long as a result would be. */
export interface Evidence {
  /** An `EvidenceReport` as JSON. */
  readonly report: StoredObject;
  /** What the window showed last, as JPEG; null when the page could draw nothing any more. */
  readonly picture: StoredObject | null;
}

/** The last entries of a list that is cut at its beginning, and how many there were. */
export interface Tail<T> {
  readonly total: number;
  readonly last: readonly T[];
}

/** Texts are redacted and cut, addresses without query and fragment. */
export interface EvidenceReport {
  readonly v: 1;
  readonly job: string;
  readonly attempt: number;
  readonly code: ErrorCode;
  readonly message: string;
  /** Where the page was, or was going. */
  readonly url: string;
  readonly console: Tail<{ readonly type: string; readonly text: string; readonly url: string; readonly line: number }>;
  readonly errors: Tail<{ readonly message: string }>;
  /** Requests that got no answer, or an error status. */
  readonly requests: Tail<{
    readonly method: string;
    readonly url: string;
    readonly type: string;
    /** HTTP status, or the network error. */
    readonly problem: string;
  }>;
}
