/**
 * A button as a pure state machine. A press counts only if it began after the button was seen released: neither a start nor
 * a board that comes back moves anything (I14), nor does a press that is handled too late (I2).
 */
import { PRESS_INTERVAL_MS, PRESS_MAX_AGE_MS } from '@relaygate/shared/device-limits';

/** `countedMs`: when the last press that counts was. */
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

/** `ignore`: a press that does not count, with the reason. */
export type ButtonEffect = { do: 'press'; atMs: number } | { do: 'let-go' } | { do: 'ignore'; why: IgnoredPress };
export type IgnoredPress = 'too-old' | 'too-soon';
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
  const isPress = button.phase === 'released' && !isFirst;
  const why = whyIgnored(atMs, nowMs, button.countedMs);
  const counts = isPress && why === null;
  const effects: ButtonEffect[] = counts ? [{ do: 'press', atMs }] : isPress && why ? [{ do: 'ignore', why }] : [];
  return [{ phase: 'pressed', sinceMs: atMs, counts, countedMs: counts ? atMs : button.countedMs }, effects];
}

/** null: it counts. */
function whyIgnored(atMs: number, nowMs: number, countedMs: number): IgnoredPress | null {
  if (nowMs - atMs > PRESS_MAX_AGE_MS) return 'too-old';
  return atMs - countedMs < PRESS_INTERVAL_MS ? 'too-soon' : null;
}

function letGo(button: Button): ButtonEffect[] {
  return button.phase === 'pressed' && button.counts ? [{ do: 'let-go' }] : [];
}
