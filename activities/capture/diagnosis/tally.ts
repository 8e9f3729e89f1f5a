/** Counts by name. */
export type Tally = Record<string, number>;

export function add(tally: Tally, name: string, count: number): void {
  tally[name] = (tally[name] ?? 0) + count;
}
