import type { InputSettings, Level } from '@relaygate/shared/device';
import type { GuardStatus } from '../guard/protocol';
import type { InputStatus } from './technician/local-messages/device';

/** The inputs that mean something, as the guard has them; without a guard nobody knows what they show. */
export function inputStatus(
  settings: readonly InputSettings[],
  guard: GuardStatus | null,
  nowMs: number,
): InputStatus[] {
  const inputs: NonNullable<GuardStatus['inputs']> = guard
    ? (guard.inputs ?? [])
    : settings.map((input) => ({ settings: input, isActive: null }));
  return inputs.map(({ settings: { numInput, name, kind, activeLevel }, isActive, sinceMs, hasChanged }) => ({
    numInput,
    name,
    kind,
    state: stateOf(kind, isActive),
    ...(isActive === null ? {} : { level: levelOf(isActive, activeLevel) }),
    ...(hasChanged === undefined ? {} : { hasChanged }),
    ...(sinceMs === undefined ? {} : { forMs: Math.max(0, Math.round(nowMs - sinceMs)) }),
  }));
}

function levelOf(isActive: boolean, activeLevel: Level = 'low'): Level {
  return isActive === (activeLevel === 'low') ? 'low' : 'high';
}

function stateOf(kind: InputSettings['kind'], isActive: boolean | null): InputStatus['state'] {
  if (isActive === null) return null;
  if (kind === 'button') return isActive ? 'pressed' : 'released';
  return isActive ? 'closed' : 'open';
}
