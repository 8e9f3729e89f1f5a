/** Slope of the least-squares line through values at 0, 1, 2 …, in their unit a step. */
export function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let [above, below] = [0, 0];
  for (const [index, value] of values.entries()) {
    above += (index - middle) * (value - mean);
    below += (index - middle) ** 2;
  }
  return below === 0 ? 0 : above / below;
}

/** By how much the fitted line rises from the first to the last value. */
export function rise(values: readonly number[]): number {
  return slope(values) * Math.max(0, values.length - 1);
}
