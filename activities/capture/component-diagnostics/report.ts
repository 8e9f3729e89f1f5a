import {
  RULES_VERSION,
  type ComponentDiagnosticsResult,
  type ComponentReport,
  type ScenarioReport,
  type ScenarioState,
  type Severity,
  type StoredObject,
} from '../../../workflows/contract/index.js';
import { add, countsOf, fitting, jsonWithin, ranked, shortened, totalOf, type Tally } from '../diagnosis/index.js';
import type { Diagnosed } from './scenario.js';

const SEVERITIES = ['error', 'warning', 'info'] as const satisfies readonly Severity[];
const MOST_REPORT_BYTES = 1024 * 1024;
/** Of the 16 KiB that a whole result has. */
const MOST_SUMMARY_BYTES = 14_000;
const WORST_BYTES = 5_000;
/** How much of findings and messages stands in the result: the first that fits. */
const DETAIL = [
  { worst: 20, message: 200 },
  { worst: 10, message: 80 },
  { worst: 5, message: 30 },
] as const;
const NO_DETAIL = { worst: 0, message: 0 } as const;

export function describeScenario(
  id: string,
  { observed, ...diagnosed }: Omit<Diagnosed, 'picture'>,
  picture: StoredObject | null,
  ms: number,
): ScenarioReport {
  const { state, problem, findings, totals, accessibility, settle } = diagnosed;
  const { counts, byRule } = countsOf(findings, totals);
  return {
    id,
    state,
    problem,
    counts,
    byRule,
    findings: { total: totalOf(counts), items: findings },
    ...observed,
    accessibility,
    settle,
    picture,
    ms: Math.round(ms),
  };
}

/** The report as JSON, within its bound. */
export function reportText(report: Omit<ComponentReport, 'v' | 'rulesVersion'>): string {
  return jsonWithin(MOST_REPORT_BYTES, (most): ComponentReport => ({
    v: 1,
    rulesVersion: RULES_VERSION,
    ...report,
    scenarios: report.scenarios.map((scenario) => shortened(scenario, most)),
  }));
}

type Summary = Omit<ComponentDiagnosticsResult, 'report' | 'timings' | 'browser'>;

/** What of the scenarios stands in the result itself. */
export function summaryOf(scenarios: readonly ScenarioReport[]): Summary {
  const states: Record<ScenarioState, number> = { ok: 0, source_error: 0, unavailable: 0, not_ready: 0 };
  const counts: Record<Severity, number> = { error: 0, warning: 0, info: 0 };
  const byRule: Tally = {};
  for (const scenario of scenarios) {
    states[scenario.state] += 1;
    for (const severity of SEVERITIES) counts[severity] += scenario.counts[severity];
    for (const [rule, count] of Object.entries(scenario.byRule)) add(byRule, rule, count);
  }
  const all = scenarios.flatMap(({ id, findings }) => findings.items.map((finding) => ({ ...finding, scenario: id })));
  const worst = ranked(all);
  const withDetail = (detail: (typeof DETAIL)[number] | typeof NO_DETAIL): Summary => ({
    v: 1,
    rulesVersion: RULES_VERSION,
    picture: scenarios[0]?.picture ?? null,
    states,
    scenarios: scenarios.map((scenario) => summaryOfOne(scenario, detail.message)),
    counts,
    byRule,
    worst: fitting(worst, detail.worst, WORST_BYTES),
  });
  const fits = DETAIL.map(withDetail).find((one) => Buffer.byteLength(JSON.stringify(one)) <= MOST_SUMMARY_BYTES);
  return fits ?? withDetail(NO_DETAIL);
}

function summaryOfOne({ id, state, counts, problem }: ScenarioReport, longest: number): Summary['scenarios'][number] {
  const message = problem?.message.slice(0, longest) ?? '';
  return { id, state, counts, ...(message === '' ? {} : { message }) };
}
