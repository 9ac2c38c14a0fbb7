// What a full run of the faults ends with: one line a fault.

/** `results`: what test/support/faults/fault.ts has written, one JSON line a test. */
export function faultTable(results) {
  const faults = new Map();
  for (const line of results.trim().split('\n')) {
    const row = JSON.parse(line);
    const sum = faults.get(row.id) ?? { ...row, repetitions: 0, violations: 0, worstMs: null };
    sum.repetitions += row.repetitions;
    sum.violations += row.violations;
    if (row.worstMs !== null) sum.worstMs = Math.max(sum.worstMs ?? 0, row.worstMs);
    faults.set(row.id, sum);
  }
  const sorted = [...faults.values()].sort((one, other) => numberOf(one) - numberOf(other));
  const titleWidth = Math.max(...sorted.map(({ title }) => title.length));
  return sorted.map((fault) => lineOf(fault, titleWidth)).join('\n');
}

const numberOf = ({ id }) => Number(id.slice(1));

function lineOf({ id, title, repetitions, violations, worstMs, worst }, titleWidth) {
  const counts = `${String(repetitions).padStart(4)} repetitions  ${String(violations).padStart(2)} violations`;
  const seconds = worstMs === null ? '-' : `${(worstMs / 1000).toFixed(2)} s`;
  return `${id.padEnd(3)}  ${title.padEnd(titleWidth)}  ${counts}  worst ${seconds.padStart(7)} (${worst})`;
}
