/** The value below which `share` (0..1) of the values lie, by the nearest rank; NaN of none. */
export function quantile(values: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export const median = (values: Iterable<number>): number => quantile(values, 0.5);
