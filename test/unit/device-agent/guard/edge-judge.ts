/** What the edges at a board must be like, over all guards that there were. A power cut's falling relays are edges too. */
import { strict as assert } from 'node:assert';
import type { FakeBoard } from '../../../support/device/fake-board';
import { DRIVE_TIMEOUT_MS, RELEASE_RETRY_MS } from '../../../support/time/promised-times';

type Edges = FakeBoard['edges'];

export interface Excuses {
  /** Until when the board or its answers were bad. */
  badMs: number;
  /** Of guards: each ends the pulses that it finds. */
  startsMs: readonly number[];
  /** Somebody has ended the pulse of that line which lasted from..until. */
  isStopped(line: number, fromMs: number, untilMs: number): boolean;
}

/** How long a pulse is to be. */
export interface PulseLength {
  leastMs: number;
  mostMs: number;
}

/** Of one line. `lengthOf`: of what begins with that edge; null: perhaps it is no pulse. */
export function judgePulses(
  edges: Edges,
  lengthOf: (edge: Edges[number]) => PulseLength | null,
  nowMs: number,
  { badMs, startsMs, isStopped }: Excuses,
): void {
  for (const [n, edge] of edges.entries()) {
    const length = edge.level === 'high' ? lengthOf(edge) : null;
    if (length === null) continue;
    const { line, atMs } = edge;
    const endMs = edges[n + 1]?.atMs ?? nowMs;
    const wasBad = badMs >= atMs;
    const latestMs = atMs + length.mostMs;
    assert(
      endMs <= (wasBad ? Math.max(latestMs, badMs + DRIVE_TIMEOUT_MS + RELEASE_RETRY_MS) : latestMs),
      'I4: a pulse is too long',
    );
    const isRestarted = startsMs.some((startMs) => startMs >= atMs && startMs <= endMs);
    const isCutShort = wasBad || isRestarted || isStopped(line, atMs, endMs);
    const hasEnded = edges[n + 1] !== undefined;
    assert(!hasEnded || isCutShort || endMs >= atMs + length.leastMs, 'I4: a pulse is too short');
  }
}

/**
 * Break, wait, make. `delayMs`: the shortest wait of two lines that may have held at some time from..until; null: perhaps they
 * were not of one interlock all that time.
 */
export function judgeInterlock(
  edges: Edges,
  delayMs: (one: number, other: number, fromMs: number, untilMs: number) => number | null,
): void {
  const last = new Map<number, Edges[number]>();
  for (const edge of edges) {
    for (const [line, { level, atMs }] of last) {
      if (edge.level === 'low' || line === edge.line) continue;
      const isOn = level === 'high';
      const leastMs = delayMs(line, edge.line, isOn ? edge.atMs : atMs, edge.atMs);
      if (leastMs === null) continue;
      assert(!isOn, 'I14: two outputs of an interlock are on');
      assert(edge.atMs - atMs >= leastMs, 'I14: the other output of an interlock went off just before');
    }
    last.set(edge.line, edge);
  }
}

/** Of one line: since when it is on; null: it is not. */
export function onSince(edges: Edges, line: number): number | null {
  const last = edges.findLast((edge) => edge.line === line);
  return last?.level === 'high' ? last.atMs : null;
}
