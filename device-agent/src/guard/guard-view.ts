/** What the guard shows of itself. */
import type { BoardSettings, OutputSettings } from '@relaygate/shared/device';
import type { Fault } from '../words/faults/fault';
import type { LastCommand, PolicyOff } from './protocol';
import type { RunningOutput } from './running-output';

export interface OutputView {
  settings: OutputSettings;
  state: 0 | 1 | null;
  /** Switched, and its feedback input did not show it. */
  unproven?: true;
  /** The board cannot be read, so the state is what was written to it. */
  confirmedBy?: 'write';
  /** The board ended the last pulse by itself. */
  pulseEndedBy?: 'board';
  /** The policy that switched it off since it was on last. */
  endedBy?: PolicyOff;
  /** When that was, on the guard's clock. */
  endedAtMs?: number;
  /** When the pulse that runs began, which names it, on the guard's clock. */
  pulseSinceMs?: number;
  /** When it ends. */
  pulseEndsMs?: number;
  /** A technician works at it until then: no remote command moves it. */
  lockedUntilMs?: number;
}

export interface GuardView {
  bootId: string;
  epoch: number;
  outputs: OutputView[];
  faults: Fault[];
  lastCommands: LastCommand[];
  board?: BoardSettings;
}

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
