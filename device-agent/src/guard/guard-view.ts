/** What the guard shows of itself. */
import type { BoardSettings, OutputSettings } from '@relaygate/shared';
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
}

export interface GuardView {
  bootId: string;
  epoch: number;
  outputs: OutputView[];
  faults: string[];
  board?: BoardSettings;
}

export function viewOf({ settings, state, isUnproven, isReadBack, boardEndsPulse }: RunningOutput): OutputView {
  return {
    settings,
    state,
    ...(isUnproven ? { unproven: true } : {}),
    ...(isReadBack ? {} : { confirmedBy: 'write' }),
    ...(boardEndsPulse ? { pulseEndedBy: 'board' } : {}),
  };
}

/** `boardProblem`: why the board is away, which is said once and not for each output; null: it is there. */
export function faultsOf(outputs: readonly RunningOutput[], boardProblem: string | null): string[] {
  const stuck = outputs
    .filter(({ isStuck }) => isStuck)
    .map(
      ({ numOutput, settings, problem }) =>
        `Output ${numOutput} (${settings.name}) cannot be switched off (${problem}); it is tried again.`,
    );
  const unproven = outputs
    .filter(({ isUnproven }) => isUnproven)
    .map(
      ({ numOutput, settings }) =>
        `Output ${numOutput} (${settings.name}) was switched, and its feedback input does not show it.`,
    );
  return [...(boardProblem === null ? stuck : [`The relay board is away: ${boardProblem}.`]), ...unproven];
}
