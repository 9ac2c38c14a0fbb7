/**
 * A button as a pure state machine. A press counts only if it began after the button was seen released: neither a start nor
 * a board that comes back moves anything (I14), nor does a press that is handled too late (I2).
 */
import { PRESS_INTERVAL_MS, PRESS_MAX_AGE_MS } from '@relaygate/shared/device-limits';

/** `countedMs`: when the last press was that moved something, was to, or was handled too late. */
export type Button = { countedMs: number } & (
  | { phase: 'released' }
  /** Not seen since the start, or since its board went. */
  | { phase: 'unknown' }
  /** `counts`: it has moved something, or was to. */
  | { phase: 'pressed'; sinceMs: number; counts: boolean }
  | { phase: 'stuck' }
);

export type ButtonEvent =
  /** `atMs`: of its edge. `isFirst`: the button was not seen before. */
  | { kind: 'pressed'; atMs: number; nowMs: number; isFirst: boolean }
  | { kind: 'released' }
  /** It is pressed longer than it may be. */
  | { kind: 'limit' }
  /** It cannot be read any more. */
  | { kind: 'lost' };

/** `isOld`: it moves nothing, and is entered as expired. */
export type ButtonEffect = { do: 'press'; atMs: number; isOld: boolean } | { do: 'let-go' };
export type ButtonStep = [Button, ButtonEffect[]];

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
  // What comes sooner is the same press, of a bouncing finger.
  const isPress = button.phase === 'released' && !isFirst && atMs - button.countedMs >= PRESS_INTERVAL_MS;
  const isOld = nowMs - atMs > PRESS_MAX_AGE_MS;
  const counts = isPress && !isOld;
  const effects: ButtonEffect[] = isPress ? [{ do: 'press', atMs, isOld }] : [];
  return [{ phase: 'pressed', sinceMs: atMs, counts, countedMs: isPress ? atMs : button.countedMs }, effects];
}

function letGo(button: Button): ButtonEffect[] {
  return button.phase === 'pressed' && button.counts ? [{ do: 'let-go' }] : [];
}
