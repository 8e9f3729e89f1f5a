/** How bad a finding is: `error` breaks the page for somebody, `warning` is worth mending, `info` is worth knowing. */
export type Severity = 'error' | 'warning' | 'info';

/** CSS pixels from the document's top left corner. */
export interface FindingBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** One thing that a diagnosis found. Texts are redacted and cut, addresses without query and fragment. */
export interface Finding {
  /** Stable id, for example `image-broken` or `axe:image-alt`; listed in docs/jobs.md. */
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  /** Matches the element alone in its document. */
  readonly selector?: string;
  readonly box?: FindingBox;
  readonly url?: string;
  readonly source?: { readonly url: string; readonly line: number; readonly column: number };
  /** Address of the frame, when it is not the main one. */
  readonly frame?: string;
}

/** A list that was cut at its end, and how many there were. */
export interface Capped<T> {
  readonly total: number;
  readonly items: readonly T[];
}
