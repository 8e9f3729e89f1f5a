import type { z } from 'zod';
import type { ErrorCode } from './errors.js';
import type { Capped, Finding, Severity } from './findings.js';
import type { PageReport } from './page-diagnostics.js';
import type { PageScreenshotResult, SettleStep, StoredObject } from './page-screenshot.js';
import type { componentDiagnosticsInput } from './schema/component-diagnostics.js';

export type ComponentDiagnosticsInput = z.output<typeof componentDiagnosticsInput>;
export type ComponentDiagnosticsRequest = z.input<typeof componentDiagnosticsInput>;
export type Scenario = ComponentDiagnosticsInput['profile']['scenarios'][number];

/** Of what a component host is asked and answers; see docs/components.md. */
export const PREVIEW_PROTOCOL = 1;

/**
 * What a component host is asked for: JSON in the fragment of its address, `#darkroom=…`, percent-encoded. Without
 * preset and props it shows the component's default state.
 */
export interface PreviewRequest {
  readonly v: typeof PREVIEW_PROTOCOL;
  readonly component: string | null;
  readonly scenario: string;
  readonly preset: string | null;
  readonly props: Readonly<Record<string, unknown>> | null;
}

/**
 * `ok`: it mounted, and was looked at, whatever was found. `source_error`: it threw, and will again. `unavailable`: its host
 * could not be had; to ask again may help. `not_ready`: the host never said that it had mounted.
 */
export type ScenarioState = 'ok' | 'source_error' | 'unavailable' | 'not_ready';

export interface ComponentDiagnosticsResult {
  readonly v: 1;
  readonly rulesVersion: number;
  /** A `ComponentReport` as JSON, at most 1 MiB. */
  readonly report: StoredObject;
  /** The default scenario, with its findings outlined, JPEG; those of the other scenarios are named in the report. */
  readonly picture: StoredObject | null;
  readonly states: Readonly<Record<ScenarioState, number>>;
  /** In the order of the profile, the default first. */
  readonly scenarios: readonly ScenarioSummary[];
  /** True counts over all scenarios. */
  readonly counts: Readonly<Record<Severity, number>>;
  readonly byRule: Readonly<Record<string, number>>;
  /** At most 20, the most severe first. */
  readonly worst: readonly (Finding & { readonly scenario: string })[];
  readonly timings: { readonly diagnosedMs: number; readonly uploadedMs: number };
  readonly browser: PageScreenshotResult['browser'];
}

export interface ScenarioSummary {
  readonly id: string;
  readonly state: ScenarioState;
  readonly counts: Readonly<Record<Severity, number>>;
  /** Why it is not `ok`, cut; in full in the report. */
  readonly message?: string;
}

export interface ComponentReport {
  readonly v: 1;
  readonly rulesVersion: number;
  readonly component: string | null;
  /** Of the host's document, without query and fragment. */
  readonly host: string;
  readonly scenarios: readonly ScenarioReport[];
}

/** Every list is capped and keeps its true count. */
export interface ScenarioReport {
  readonly id: string;
  readonly state: ScenarioState;
  readonly problem: ScenarioProblem | null;
  readonly counts: Readonly<Record<Severity, number>>;
  readonly byRule: Readonly<Record<string, number>>;
  readonly findings: Capped<Finding>;
  readonly console: PageReport['console'];
  readonly errors: PageReport['errors'];
  readonly requests: PageReport['requests'];
  /** Null where there was nothing to look at. */
  readonly accessibility: PageReport['accessibility'] | null;
  readonly settle: readonly SettleStep[];
  readonly picture: StoredObject | null;
  readonly ms: number;
}

export interface ScenarioProblem {
  /** Null where the host said it, or said nothing. */
  readonly code: ErrorCode | null;
  readonly message: string;
  /** Through source maps, where the host has them; the innermost frame first. */
  readonly stack: readonly StackFrame[];
}

export interface StackFrame {
  readonly name: string;
  /** Of the source, as its source map names it, or of the script. */
  readonly url: string;
  readonly line: number;
  readonly column: number;
  readonly isMapped: boolean;
}
