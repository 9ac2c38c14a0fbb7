import type { OutputState } from '@relaygate/shared';

/** "set 0 on", "toggle 1", "pulse 2". */
export function commandWords(numOutput: number, command: { action: string; state?: OutputState | undefined }): string {
  const { action, state } = command;
  const words = `${action} ${numOutput}`;
  return state === undefined ? words : `${words} ${state === 1 ? 'on' : 'off'}`;
}

/** "executed", "refused (locked)". */
export function outcomeWords({ outcome, reason }: { outcome: string; reason?: string | undefined }): string {
  return reason === undefined ? outcome : `${outcome} (${reason})`;
}
