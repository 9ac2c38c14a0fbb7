/** What the guard shows of itself. */
import type { GuardStatus, LastCommand } from './protocol';
import type { RunningOutput } from './running-output';

export type OutputView = GuardStatus['outputs'][number];
export type GuardView = GuardStatus & { lastCommands: LastCommand[] };

export function viewOf({
  settings,
  state,
  isUnproven,
  isReadBack,
  boardEndsPulse,
  endedBy,
  endedAtMs,
  pulseSinceMs,
  pulseEndsMs,
  lockedUntilMs,
}: RunningOutput): OutputView {
  return {
    settings,
    state,
    ...(isUnproven ? { unproven: true } : {}),
    ...(isReadBack ? {} : { confirmedBy: 'write' }),
    ...(boardEndsPulse ? { pulseEndedBy: 'board' } : {}),
    ...(endedBy === null ? {} : { endedBy }),
    ...(endedAtMs === null ? {} : { endedAtMs }),
    ...(pulseSinceMs === null ? {} : { pulseSinceMs }),
    ...(pulseEndsMs === null ? {} : { pulseEndsMs }),
    ...(lockedUntilMs === null ? {} : { lockedUntilMs }),
  };
}
