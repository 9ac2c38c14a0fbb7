/** What the guard shows of itself. */
import type { GuardStatus, LastCommand } from './protocol';
import type { RunningOutput } from './running-output';

export type OutputView = GuardStatus['outputs'][number];
export type GuardView = GuardStatus & { lastCommands: LastCommand[] };

/** `lockedUntilMs`: until when a technician has locked it; null: not locked. */
export function viewOf(output: RunningOutput, lockedUntilMs: number | null): OutputView {
  const { settings, state, line, feedback, limit, pulseSinceMs, pulseEndsMs } = output;
  const { ended } = limit;
  return {
    settings,
    state,
    ...(feedback.isMissing ? { unproven: true } : {}),
    ...(line.isReadBack ? {} : { confirmedBy: 'write' }),
    ...(line.boardEndsPulse && settings.mode === 'impulse' ? { pulseEndedBy: 'board' } : {}),
    ...(ended === null ? {} : { endedBy: ended.by, endedAtMs: ended.atMs }),
    ...(pulseSinceMs === null ? {} : { pulseSinceMs }),
    ...(pulseEndsMs === null ? {} : { pulseEndsMs }),
    ...(lockedUntilMs === null ? {} : { lockedUntilMs }),
  };
}
