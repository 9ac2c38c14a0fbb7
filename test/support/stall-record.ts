/**
 * What `stall-watch` tells, in memory that two threads share: the moment of its last look, how many stalls there were, how
 * long they were in all, and when each of the last ones began and ended.
 */
export const LOOK_EVERY_MS = 10;

const LAST_LOOK = 0;
const COUNT = 1;
const ALL_MS = 2;
const FIRST = 3;
const KEPT_STALLS = 4_096;

export function newRecord(): Float64Array {
  const size = (FIRST + 2 * KEPT_STALLS) * Float64Array.BYTES_PER_ELEMENT;
  return new Float64Array(new SharedArrayBuffer(size)).fill(Number.POSITIVE_INFINITY, LAST_LOOK, COUNT);
}

/** Before its first look a watch knows nothing. */
export function hasLooked(record: Float64Array): boolean {
  return record[LAST_LOOK] !== Number.POSITIVE_INFINITY;
}

/** `lostMs` before `atMs`; 0: nothing was. */
export function noteLook(record: Float64Array, atMs: number, lostMs: number): void {
  if (lostMs > 0) {
    const count = record[COUNT] ?? 0;
    record.set([atMs - lostMs, atMs], placeOf(count));
    record[ALL_MS] = lostInAllMs(record) + lostMs;
    record[COUNT] = count + 1;
  }
  record[LAST_LOOK] = atMs;
}

/** How much of the time between these moments was lost, in ms. A look that is overdue at `nowMs` may be a stall. */
export function lostBetween(record: Float64Array, fromMs: number, toMs: number, nowMs: number): number {
  const count = record[COUNT] ?? 0;
  let lostMs = overlapMs(fromMs, toMs, (record[LAST_LOOK] ?? 0) + LOOK_EVERY_MS, nowMs);
  for (let n = Math.max(0, count - KEPT_STALLS); n < count; n += 1) {
    const place = placeOf(n);
    lostMs += overlapMs(fromMs, toMs, record[place] ?? 0, record[place + 1] ?? 0);
  }
  return lostMs;
}

/** Of the stalls that are over. */
export function lostInAllMs(record: Float64Array): number {
  return record[ALL_MS] ?? 0;
}

function placeOf(stall: number): number {
  return FIRST + 2 * (stall % KEPT_STALLS);
}

function overlapMs(fromMs: number, toMs: number, beganMs: number, endedMs: number): number {
  return Math.max(0, Math.min(toMs, endedMs) - Math.max(fromMs, beganMs));
}
