import { describe, expect, test } from '@jest/globals';
import {
  afterEdge,
  afterReading,
  type Debounced,
  firstSeen,
  type LevelChange,
} from '@relaygate/device-agent/guard/inputs/debounce';
import type { Level } from '@relaygate/shared/device';
import fc from 'fast-check';
import { generatedRounds } from '../../../../support/chance/generated-rounds';

const DEBOUNCE_MS = 30;

interface Shown {
  level: Level;
  forMs: number;
}
const shown = fc.array(
  fc.record({ level: fc.constantFrom<Level>('high', 'low'), forMs: fc.integer({ min: 1, max: 100 }) }),
  { minLength: 1, maxLength: 40 },
);

/** All that lasted, by hand: levels in a row are one. */
function lasting(levels: readonly Shown[]): LevelChange[] {
  const changes: LevelChange[] = [];
  let atMs = 0;
  for (const [n, { level, forMs }] of levels.entries()) {
    const isSame = levels[n - 1]?.level === level;
    if (!isSame && forMs >= DEBOUNCE_MS && changes.at(-1)?.level !== level)
      changes.push({ level, atMs, isFirst: changes.length === 0 });
    atMs += forMs;
  }
  return changes;
}

/** Neighbours of one level are one. */
function joined(levels: readonly Shown[]): Shown[] {
  const parts: Shown[] = [];
  for (const { level, forMs } of levels) {
    const last = parts.at(-1);
    if (last?.level === level) last.forMs += forMs;
    else parts.push({ level, forMs });
  }
  return parts;
}

/** `isLate`: nothing is handled before all of it is over. */
function play(levels: readonly Shown[], isLate: boolean): LevelChange[] {
  const changes: LevelChange[] = [];
  let input: Debounced | null = null;
  let nowMs = 0;
  const take = ([next, change]: [Debounced, LevelChange | null]): void => {
    input = next;
    if (change) changes.push(change);
  };
  for (const { level, forMs } of levels) {
    if (input === null) input = firstSeen(level, nowMs);
    else take(afterEdge(input, level, nowMs, DEBOUNCE_MS));
    nowMs += forMs;
    if (!isLate && forMs >= DEBOUNCE_MS && input !== null) take(afterReading(input, level, nowMs));
  }
  const last = levels.at(-1);
  if (input !== null && last && last.forMs >= DEBOUNCE_MS) take(afterReading(input, last.level, nowMs));
  return changes;
}

describe('what an input shows', () => {
  test.each([false, true])('is what lasted, with the times of its edges; handled late: %s', (isLate) => {
    const property = fc.property(shown, (levels) => {
      const parts = joined(levels);
      expect(play(parts, isLate)).toEqual(lasting(parts));
    });
    expect(fc.check(property, generatedRounds(300, 10_000))).toMatchObject({ failed: false });
  });

  test('is not what a process that was held up believed it to be', () => {
    const [pressed] = afterEdge({ shown: 'high', level: 'high', sinceMs: 0 }, 'low', 1_000, DEBOUNCE_MS);
    const found = { shown: 'high', level: 'high', sinceMs: 3_000, isOnlyRead: true };
    expect(afterReading(pressed, 'high', 3_000)).toEqual([found, null]);
  });
});
