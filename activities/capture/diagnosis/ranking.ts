import type { Finding, Severity } from '../../../workflows/contract/index.js';
import { add, type Tally } from './tally.js';

const ORDER: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };
const LONGEST = { message: 300, selector: 500 } as const;

/** The most severe first; among equals the first finding of every rule before the second of any. */
export function ranked<T extends Finding>(findings: readonly T[]): T[] {
  const nth = new Map<string, number>();
  return findings
    .map((finding, index) => {
      const turn = nth.get(finding.rule) ?? 0;
      nth.set(finding.rule, turn + 1);
      return { finding: cut(finding), turn, index };
    })
    .sort((a, b) => ORDER[a.finding.severity] - ORDER[b.finding.severity] || a.turn - b.turn || a.index - b.index)
    .map(({ finding }) => finding);
}

/** As many of the first items as fit into so many bytes of JSON. */
export function fitting<T>(items: readonly T[], most: number, bytes: number): T[] {
  let used = 2;
  const fits = items.slice(0, most).findIndex((item) => {
    used += Buffer.byteLength(JSON.stringify(item)) + 1;
    return used > bytes;
  });
  return items.slice(0, fits < 0 ? most : fits);
}

export function countsOf(
  findings: readonly Finding[],
  totals: Readonly<Record<string, number>>,
): { readonly counts: Record<Severity, number>; readonly byRule: Record<string, number> } {
  const counts = { error: 0, warning: 0, info: 0 };
  const byRule: Tally = {};
  const severities = new Map(findings.map(({ rule, severity }) => [rule, severity]));
  for (const { rule } of findings) add(byRule, rule, 1);
  for (const [rule, total] of Object.entries(totals)) byRule[rule] = Math.max(byRule[rule] ?? 0, total);
  for (const [rule, count] of Object.entries(byRule)) counts[severities.get(rule) ?? 'info'] += count;
  return { counts, byRule };
}

export function totalOf({ error, warning, info }: Readonly<Record<Severity, number>>): number {
  return error + warning + info;
}

function cut<T extends Finding>(finding: T): T {
  const { message, selector } = finding;
  return {
    ...finding,
    message: message.slice(0, LONGEST.message),
    ...(selector === undefined ? {} : { selector: selector.slice(0, LONGEST.selector) }),
  };
}
