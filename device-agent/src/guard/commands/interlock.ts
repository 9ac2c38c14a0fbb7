/**
 * Outputs of which at most one may be on (the two directions of a motor): break, wait, make. Pure: it gets what the members
 * are and returns what to do next; the caller asks again after that.
 */
import type { OutputMode } from '@relaygate/shared';
import type { CompleteOutput } from '@relaygate/shared/device';
import { isDeferred, isSettled, stateOf } from '../output-phase';
import type { Output } from '../output-types';

/** What another member of the group is, as far as the guard knows. */
export type Member =
  | { numOutput: number; is: 'off'; sinceMs: number }
  | { numOutput: number; is: 'on' }
  | { numOutput: number; is: 'pulsing' }
  /** A board or a disk has yet to answer. */
  | { numOutput: number; is: 'moving' }
  | { numOutput: number; is: 'unknown' }
  /** Switched, and nobody knows whether its board heard it: the board does not answer. */
  | { numOutput: number; is: 'unread' };

export type Clearance =
  | { do: 'go' }
  | { do: 'refuse'; reason: 'interlocked' | 'interlock-delay' | 'interlock-unread' }
  /** Ask again when these are settled. */
  | { do: 'settle'; members: number[] }
  /** Switch these off, and ask again. */
  | { do: 'break'; members: number[] }
  /** Ask again then. */
  | { do: 'wait'; untilMs: number };

/**
 * `isDriving`: the board has an order in hand. `movedMs`: when it was last done with one. `isReadBack`: it was read after
 * that. `off`: what its feedback input
 * says of an output that is off by its orders, `shown` where it has none.
 */
export function memberOf(
  numOutput: number,
  output: Output,
  mode: OutputMode,
  { isDriving, movedMs, isReadBack }: { isDriving: boolean; movedMs: number; isReadBack: boolean },
  off: 'shown' | 'awaited' | 'missing',
): Member {
  const state = stateOf(output);
  // The output goes on again if its command moves nothing.
  if (isDeferred(output)) return { numOutput, is: 'unknown' };
  if (output.phase === 'unknown' || output.phase === 'waiting' || output.phase === 'stuck')
    return { numOutput, is: 'unknown' };
  if (state === 1 && mode === 'impulse' && output.phase !== 'releasing') return { numOutput, is: 'pulsing' };
  if (!isDriving && !isReadBack && (state === 0 || isSettled(output))) return { numOutput, is: 'unread' };
  // One that is off and about to go on waits for its own turn.
  if (state === 0 && !isDriving) {
    if (off === 'shown') return { numOutput, is: 'off', sinceMs: movedMs };
    return { numOutput, is: off === 'missing' ? 'unknown' : 'moving' };
  }
  return isSettled(output) ? { numOutput, is: 'on' } : { numOutput, is: 'moving' };
}

/**
 * What must happen before an output's edge. `startBeforeMs`: I2, the delay ends before it or nothing moves at all. I14: if
 * nobody knows whether a member is off, the others stay off.
 */
export function clearance(others: readonly Member[], delayMs: number, nowMs: number, startBeforeMs: number): Clearance {
  const those = (is: Member['is']): number[] => others.filter((member) => member.is === is).map((m) => m.numOutput);
  if (those('unknown').length > 0 || those('pulsing').length > 0) return { do: 'refuse', reason: 'interlocked' };
  // Checked before another output goes off for it.
  if (those('unread').length > 0) return { do: 'refuse', reason: 'interlock-unread' };
  if (those('moving').length > 0) return { do: 'settle', members: those('moving') };
  const offMs = others.map((member) => (member.is === 'off' ? member.sinceMs : nowMs));
  const untilMs = Math.max(nowMs, ...offMs.map((sinceMs) => sinceMs + delayMs));
  if (untilMs >= startBeforeMs && untilMs > nowMs) return { do: 'refuse', reason: 'interlock-delay' };
  if (those('on').length > 0) return { do: 'break', members: those('on') };
  return untilMs > nowMs ? { do: 'wait', untilMs } : { do: 'go' };
}

/** The longest of the group: each member may be the one that runs down slowly. */
export function delayOf(group: readonly Pick<CompleteOutput, 'interlockDelayMs'>[]): number {
  return Math.max(0, ...group.map(({ interlockDelayMs }) => interlockDelayMs));
}
