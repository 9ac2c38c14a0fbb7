import type { OutputState } from '@relaygate/shared';
import type { Outcome } from '../../locales/en/events';

/** "set 0 on", "toggle 1", "pulse 2", "stop 2". */
export function commandWords(numOutput: number, command: { action: string; state?: OutputState | undefined }): string {
  const { action, state } = command;
  const words = `${action} ${numOutput}`;
  return state === undefined ? words : `${words} ${state === 1 ? 'on' : 'off'}`;
}

/** The outcome of a command in the words of guard and agent. */
export type RawOutcome = { outcome: string; reason?: string | undefined; ignored?: true };

/** What became of a command, as the log shows it. */
export function outcomeOf(became: RawOutcome): Outcome {
  return { outcome: localOutcome(became), reason: became.reason ?? null };
}

/** To people a command that moved nothing because a pulse ran must not look like one that started a pulse. */
export function localOutcome<Outcome extends string>(became: {
  outcome: Outcome;
  ignored?: true;
}): Outcome | 'ignored' {
  return became.ignored ? 'ignored' : became.outcome;
}
