import type { Ended, Ledger } from './checks.js';
import { faultsHere, type FaultName, type Strike } from './faults.js';

export interface FaultReport {
  readonly fault: FaultName;
  readonly inflicted: number;
  /** Sessions that worked on what was struck. */
  readonly hit: number;
  /** From the fault until what they held was free. */
  readonly freeAfterMs: { readonly p50: number; readonly max: number } | null;
}

export interface ChaosReport {
  readonly seed: number;
  readonly seconds: number;
  readonly without: string | null;
  readonly jobs: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly faults: readonly FaultReport[];
  readonly violations: readonly string[];
}

export function faultReports(strikes: readonly Strike[], ledger: Ledger): FaultReport[] {
  const freed = new Map(
    ledger.flatMap(({ event, reservation, atMs }) =>
      reservation !== null && (event === 'freed' || event === 'released') ? [[reservation, atMs] as const] : [],
    ),
  );
  return faultsHere().map((fault) => {
    const own = strikes.filter((strike) => strike.fault === fault);
    const times = own
      .flatMap(({ atMs, hit }) => hit.flatMap((one) => (freed.has(one) ? [(freed.get(one) ?? 0) - atMs] : [])))
      .toSorted((a, b) => a - b);
    const max = times.at(-1);
    return {
      fault,
      inflicted: own.length,
      hit: own.reduce((sum, { hit }) => sum + hit.length, 0),
      freeAfterMs: max === undefined ? null : { p50: times[Math.floor((times.length - 1) / 2)] ?? max, max },
    };
  });
}

export function outcomesOf(jobs: readonly Ended[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { outcome } of jobs) {
    const name =
      outcome === undefined ? 'not ended' : outcome.status === 'succeeded' ? 'succeeded' : outcome.error.code;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

export function describe(report: ChaosReport): string[] {
  const { seed, seconds, without, jobs, outcomes, faults, violations } = report;
  return [
    `seed ${String(seed)}, ${String(seconds)} s, ${String(jobs)} jobs${without === null ? '' : `, without ${without}`}`,
    ...Object.entries(outcomes).map(([name, count]) => `  ${name}: ${String(count)}`),
    `${'fault'.padEnd(26)} times   hit  free after ms: P50     max`,
    ...faults.map(({ fault, inflicted, hit, freeAfterMs }) =>
      [
        fault.padEnd(26),
        String(inflicted).padStart(5),
        String(hit).padStart(5),
        (freeAfterMs?.p50.toFixed(0) ?? '-').padStart(19),
        (freeAfterMs?.max.toFixed(0) ?? '-').padStart(7),
      ].join(' '),
    ),
    violations.length === 0 ? 'no violation' : `${String(violations.length)} violations`,
    ...violations.map((violation) => `  ${violation}`),
  ];
}
