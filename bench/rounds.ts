// Measuring in rounds: every round visits all programs in turn, each time from another one on, and many figures become
// one.

/** The values in their order, begun at another one each round. */
export function rotate<T>(values: readonly T[], round: number): readonly T[] {
  const start = round % values.length;
  return [...values.slice(start), ...values.slice(0, start)];
}

/** The value in the middle. */
export function toMedian(values: readonly number[]): number {
  return toQuantile(values, 0.5);
}

/** The value that such a share of all is below; NaN when there is none. */
export function toQuantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
