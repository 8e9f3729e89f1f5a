import type { z } from 'zod';
import type { Capped, Finding, Severity } from './findings.js';
import type { PageScreenshotResult, SettleStep, StoredObject } from './page-screenshot.js';
import type { pageDiagnosticsInput } from './schema/page-diagnostics.js';

export type PageDiagnosticsInput = z.output<typeof pageDiagnosticsInput>;
export type PageDiagnosticsRequest = z.input<typeof pageDiagnosticsInput>;

/** Raised when a rule is added, removed or judges anew, so that two diagnoses can be compared. */
export const RULES_VERSION = 1;

export interface PageDiagnosticsResult {
  readonly v: 1;
  readonly rulesVersion: number;
  /** A `PageReport` as JSON, at most 256 KiB. */
  readonly report: StoredObject;
  /** The page with the worst findings outlined and numbered as in `worst`, JPEG. */
  readonly picture: StoredObject | null;
  readonly finalUrl: string;
  readonly status: number;
  readonly title: string;
  readonly counts: Readonly<Record<Severity, number>>;
  readonly byRule: Readonly<Record<string, number>>;
  /** At most 20, the most severe first. */
  readonly worst: readonly Finding[];
  readonly settle: readonly SettleStep[];
  readonly suppressed: PageScreenshotResult['suppressed'];
  readonly timings: PageScreenshotResult['timings'];
  readonly browser: PageScreenshotResult['browser'];
}

/** What stands in the report object. Every list is capped and keeps its true count. */
export interface PageReport {
  readonly v: 1;
  readonly rulesVersion: number;
  readonly navigation: {
    readonly url: string;
    readonly finalUrl: string;
    readonly status: number;
    readonly redirects: readonly string[];
  };
  readonly findings: Capped<Finding>;
  readonly console: Capped<ConsoleEntry>;
  readonly errors: Capped<PageError>;
  readonly requests: {
    /** Failed, blocked, answered with an error status, or slow. */
    readonly remarkable: Capped<RequestEntry>;
    readonly byType: Readonly<Record<string, { readonly count: number; readonly bytes: number }>>;
    /** Still without an answer when the page was diagnosed. */
    readonly pending: number;
  };
  readonly accessibility: {
    readonly engine: string;
    readonly byImpact: Readonly<Record<string, number>>;
    /** Frames that could not be checked. */
    readonly unchecked: readonly string[];
  };
  readonly fonts: {
    readonly used: Capped<{ readonly family: string; readonly glyphs: number; readonly isCustom: boolean }>;
    /** Families that the page asks for first and does not have, with what stands in for them. */
    readonly missing: Capped<{
      readonly family: string;
      readonly instead: readonly string[];
      readonly selector: string;
    }>;
  };
  readonly performance: PagePerformance | null;
  readonly settle: readonly SettleStep[];
}

export interface ConsoleEntry {
  readonly type: string;
  readonly text: string;
  readonly url: string;
  readonly line: number;
  readonly column: number;
}

export interface PageError {
  readonly message: string;
  readonly stack: string;
  readonly url: string;
  readonly line: number;
  readonly column: number;
}

export interface RequestEntry {
  readonly problem: 'failed' | 'blocked' | 'http_error' | 'slow' | 'mixed_content';
  readonly method: string;
  readonly url: string;
  readonly type: string;
  readonly status: number | null;
  /** The browser's words for what failed. */
  readonly error: string | null;
  /** From its start to the end of its answer, or to its beginning when that alone was slow. */
  readonly ms: number | null;
}

/** Milliseconds since the navigation began; null for what did not happen. */
export interface PagePerformance {
  readonly ttfbMs: number | null;
  readonly fcpMs: number | null;
  readonly lcp: { readonly ms: number; readonly selector: string | null } | null;
  readonly cls: { readonly score: number; readonly sources: readonly string[] };
  readonly longTasks: { readonly count: number; readonly totalMs: number; readonly longestMs: number };
  readonly transferBytes: number;
  readonly domNodes: number;
}
