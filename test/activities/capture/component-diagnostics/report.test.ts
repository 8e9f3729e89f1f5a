import { expect, test } from 'vitest';
import { reportText, summaryOf } from '../../../../activities/capture/component-diagnostics/report.js';
import type { Finding, ScenarioReport } from '../../../../workflows/contract/index.js';

const finding = (n: number): Finding => ({
  rule: `rule-${String(n % 40)}`,
  severity: n % 2 === 0 ? 'warning' : 'error',
  message: 'm'.repeat(300),
  selector: 's'.repeat(300),
});

function scenario(index: number, change: Partial<ScenarioReport> = {}): ScenarioReport {
  const items = Array.from({ length: 100 }, (_, n) => finding(n));
  const empty = { total: 0, items: [] };
  return {
    id: `scenario-${String(index).padStart(22, '0')}`,
    state: 'source_error',
    problem: { code: 'source_error', message: '\u00e9'.repeat(1_000), stack: [] },
    counts: { error: 50, warning: 50, info: 0 },
    byRule: Object.fromEntries(items.map(({ rule }) => [rule, 3])),
    findings: { total: 120, items },
    console: empty,
    errors: empty,
    requests: { remarkable: empty, byType: {}, pending: 0 },
    accessibility: null,
    settle: [],
    picture: { key: 'k'.repeat(200), contentType: 'image/jpeg', bytes: 1, sha256: 'f'.repeat(64) },
    ms: 1,
    ...change,
  };
}

const full = Array.from({ length: 64 }, (_, index) => scenario(index));

test('64 scenarios full of findings fit into a result and a report, which keep every state and every true count', () => {
  const summary = summaryOf(full);
  expect(Buffer.byteLength(JSON.stringify(summary))).toBeLessThanOrEqual(14_000);
  expect(summary.scenarios).toHaveLength(64);
  expect(summary.states.source_error).toBe(64);
  expect(summary.counts).toEqual({ error: 3_200, warning: 3_200, info: 0 });
  const text = reportText({ component: 'c', host: 'h', scenarios: full });
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024 * 1024);
  const report = JSON.parse(text) as { scenarios: ScenarioReport[] };
  expect(report.scenarios.map(({ findings }) => findings.total)).toEqual(full.map(() => 120));
});

test('of a few scenarios, the worst findings are named with their scenario, and the messages are told', () => {
  const well = scenario(1, { state: 'ok', problem: null });
  const summary = summaryOf([well, scenario(2)]);
  expect(summary.worst.length).toBeGreaterThan(5);
  expect(summary.worst[0]).toMatchObject({ scenario: well.id, severity: 'error' });
  expect(summary.scenarios.map(({ message }) => message?.length)).toEqual([undefined, 200]);
});
