import type { BoardSettings, DeviceSettings, Level, OutputSettings } from '@relaygate/shared/device';
import { withInputsOf } from './board-inputs';

/** A board to be used from the next start on. */
export interface BoardChange {
  board: BoardSettings;
  /** What each relay is called on the board; the position is the output's number. */
  relays: readonly string[];
  activeLevel: Level;
}

/** What became of an output: `kept` with its name and mode, `new`, or `removed` because the board has fewer relays. */
export type OutputTransition = 'kept' | 'new' | 'removed';

/** A new relay pulses, so that a wrong guess of what hangs on it does not leave it closed. */
const NEW_OUTPUT: Omit<OutputSettings, 'name' | 'activeLevel'> = { mode: 'impulse', pulseMs: 500, powerOn: 'off' };

/**
 * The settings with that board: outputs keep name and mode, and take the board's polarity; inputs that the board has stay.
 */
export function withBoard(settings: DeviceSettings, { board, relays, activeLevel }: BoardChange): DeviceSettings {
  const outputs = relays.map((relay, numOutput): OutputSettings => {
    const before = settings.outputs[numOutput];
    return { ...(before ?? { name: relay, ...NEW_OUTPUT }), activeLevel };
  });
  return { ...settings, board: withInputsOf(settings.board, board), outputs };
}

export function outputTransitions(before: DeviceSettings, after: DeviceSettings): OutputTransition[] {
  const count = Math.max(before.outputs.length, after.outputs.length);
  return Array.from({ length: count }, (_, numOutput) => {
    if (!after.outputs[numOutput]) return 'removed';
    return before.outputs[numOutput] ? 'kept' : 'new';
  });
}
