/**
 * A button as a pure state machine. Only a press counts that began after it was seen released: neither a start nor a board
 * that comes back moves anything (I14), nor does what is handled too late (I2).
 */
import { PRESS_INTERVAL_MS, PRESS_MAX_AGE_MS } from '@relaygate/shared/device-limits';

export type Button =
  /** Not seen since the start, or since its board went. */
  | { phase: 'unknown'; countedMs: number }
  | { phase: 'released'; countedMs: number }
  /** `counts`: it has moved something, or was to. */
  | { phase: 'pressed'; sinceMs: number; counts: boolean; countedMs: number }
  | { phase: 'stuck'; countedMs: number };

export type ButtonEvent =
  /** `atMs`: of its edge. `isFirst`: it was not seen before. */
  | { kind: 'pressed'; atMs: number; nowMs: number; isFirst: boolean }
  | { kind: 'released' }
  /** It is pressed longer than it may be. */
  | { kind: 'limit' }
  /** It cannot be read any more. */
  | { kind: 'lost' };

/** `ignored`: of a press that counts not, with the reason. */
export type ButtonEffect = { do: 'press'; atMs: number } | { do: 'let-go' } | { do: 'ignore'; why: IgnoredPress };
export type IgnoredPress = 'too-old' | 'too-soon';
export type ButtonStep = [Button, ButtonEffect[]];

/** `countedMs`: when the last press that counts was; it never was one. */
export const NEW_BUTTON: Button = { phase: 'unknown', countedMs: Number.NEGATIVE_INFINITY };

export function stepButton(button: Button, event: ButtonEvent): ButtonStep {
  const { countedMs } = button;
  switch (event.kind) {
    case 'pressed':
      return pressed(button, event);
    case 'released':
      return [{ phase: 'released', countedMs }, letGo(button)];
    case 'limit':
      return button.phase === 'pressed' ? [{ phase: 'stuck', countedMs }, letGo(button)] : [button, []];
    case 'lost':
      return [{ phase: 'unknown', countedMs }, letGo(button)];
    default:
      return event satisfies never;
  }
}

function pressed(button: Button, { atMs, nowMs, isFirst }: Extract<ButtonEvent, { kind: 'pressed' }>): ButtonStep {
  const { countedMs } = button;
  const why = nowMs - atMs > PRESS_MAX_AGE_MS ? 'too-old' : atMs - countedMs < PRESS_INTERVAL_MS ? 'too-soon' : null;
  if (button.phase !== 'released' || isFirst)
    return [{ phase: 'pressed', sinceMs: atMs, counts: false, countedMs }, []];
  if (why !== null) return [{ phase: 'pressed', sinceMs: atMs, counts: false, countedMs }, [{ do: 'ignore', why }]];
  return [{ phase: 'pressed', sinceMs: atMs, counts: true, countedMs: atMs }, [{ do: 'press', atMs }]];
}

function letGo(button: Button): ButtonEffect[] {
  return button.phase === 'pressed' && button.counts ? [{ do: 'let-go' }] : [];
}
