/** What every suite answers; `npm run bench -- <suite> --json` prints it as it is. */
export interface BenchReport {
  readonly suite: string;
  readonly results: readonly BenchResult[];
}

export interface BenchResult {
  readonly name: string;
  /** Milliseconds. */
  readonly ours: number;
  readonly peer: number | null;
  readonly ratio: number | null;
  readonly goal: string;
  readonly holds: boolean;
}

export function describe({ suite, results }: BenchReport): string[] {
  return [
    `suite ${suite}`,
    ...results.map(({ name, ours, peer, ratio, goal, holds }) => {
      const beside = peer === null ? 'no peer' : `peer ${peer.toFixed(0)}, ratio ${(ratio ?? 0).toFixed(2)}`;
      return `  ${holds ? 'holds ' : 'MISSED'} ${name}: ${ours.toFixed(0)} (${beside}), goal ${goal}`;
    }),
  ];
}

/** 0 ≤ share ≤ 1; 0.5 is the median. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Runs the cases in turn, so that the machine's moods meet all of them, each after a rest; gives each one's milliseconds. */
export async function alternate<Name extends string>(
  cases: Readonly<Record<Name, () => Promise<unknown>>>,
  rounds: { readonly warmUp: number; readonly measured: number },
  rest: () => Promise<unknown>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(cases) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round < rounds.warmUp + rounds.measured; round += 1) {
    for (const name of names) {
      await rest();
      const startedAt = performance.now();
      await cases[name]();
      if (round >= rounds.warmUp) times[name].push(performance.now() - startedAt);
    }
  }
  return times;
}
