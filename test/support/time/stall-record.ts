/**
 * What `stall-watch` tells, in memory that two threads share: the moments of its first and its last look, and what each one
 * was kept from running for how long, and when. The oldest are forgotten; nobody is excused by them.
 */
export const LOOK_EVERY_MS = 10;

/** Of CLOCK_MONOTONIC, in ms. */
export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Who lost time: a process by its id, or the whole machine by the stall watch, or by the kernel's count of stolen time. */
export const STALL = -1;
export const STOLEN = -2;

const FIRST_LOOK = 0;
const LAST_LOOK = 1;
const COUNT = 2;
const FIRST = 3;
/** Who, from, to, how much of it. */
const FIELDS = 4;
const KEPT = 65_536;

export function newRecord(): Float64Array {
  return new Float64Array(new SharedArrayBuffer((FIRST + FIELDS * KEPT) * Float64Array.BYTES_PER_ELEMENT));
}

/** Whether the watch looked before this began, and again after it ended: else nobody knows what was lost in it. */
export function covers(record: Float64Array, { fromMs, toMs }: Window): boolean {
  const [firstMs = 0, lastMs = 0] = [record[FIRST_LOOK], record[LAST_LOOK]];
  return firstMs > 0 && firstMs <= fromMs && lastMs >= toMs;
}

/** 0: it has not looked yet. */
export function lastLookMs(record: Float64Array): number {
  return record[LAST_LOOK] ?? 0;
}

/** So much of that window `who` did not run; noted before the look that saw it. */
export function noteLost(record: Float64Array, who: number, { fromMs, toMs }: Window, lostMs: number): void {
  const count = record[COUNT] ?? 0;
  record.set([who, fromMs, toMs, lostMs], placeOf(count));
  record[COUNT] = count + 1;
}

export function noteLook(record: Float64Array, atMs: number): void {
  if (record[FIRST_LOOK] === 0) record[FIRST_LOOK] = atMs;
  record[LAST_LOOK] = atMs;
}

/** What `who` may have lost within the window at most, in ms: never more than lies within it. */
export function lostWithin(record: Float64Array, who: number, { fromMs, toMs }: Window): number {
  const count = record[COUNT] ?? 0;
  let lostMs = 0;
  for (let n = Math.max(0, count - KEPT); n < count; n += 1) {
    const [owner, beganMs = 0, endedMs = 0, wholeMs = 0] = record.subarray(placeOf(n), placeOf(n) + FIELDS);
    if (owner !== who) continue;
    lostMs += Math.max(0, Math.min(wholeMs, toMs - beganMs, endedMs - fromMs, toMs - fromMs));
  }
  return Math.min(lostMs, Math.max(0, toMs - fromMs));
}

function placeOf(entry: number): number {
  return FIRST + FIELDS * (entry % KEPT);
}
