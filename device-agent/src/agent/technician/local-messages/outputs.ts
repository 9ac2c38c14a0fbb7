/** agent.sock: moving outputs, and changing their settings. */
import { type DeviceOutcome, NumOutput, OutputState, type Static, Type } from '@relaygate/shared';
import { type CompleteOutput, OutputChange } from '@relaygate/shared/device';
import type { Cure } from '../../../provisioning/boards/cures';
import { CHANGE } from './actor';

/** The pulse that was seen, by its `pulseSinceMs` in the status; null: none was. */
const PulseSinceMs = Type.Union([Type.Number(), Type.Null()]);

export const SetRequest = Type.Object({
  numOutput: NumOutput,
  state: OutputState,
  /** For state 0 that ends a pulse; absent: the pulse that runs now. */
  pulseSinceMs: Type.Optional(PulseSinceMs),
  ...CHANGE,
});
export const PulseRequest = Type.Object({ numOutput: NumOutput, ...CHANGE });
/** Ends the pulse that was seen. A late one does not end the next. */
export const StopRequest = Type.Object({
  numOutput: NumOutput,
  pulseSinceMs: PulseSinceMs,
  ...CHANGE,
});
export const OutputRequest = Type.Object({
  numOutput: NumOutput,
  /** An empty change only shows the settings. Ranges are checked by the action, which names them. */
  change: OutputChange,
  /** Changes mode, polarity and interlock of an active output too, and drives it inactive first. */
  force: Type.Boolean(),
  ...CHANGE,
});
export type OutputRequest = Static<typeof OutputRequest>;

export interface CommandReply {
  /** `ignored`: nothing moved, because a pulse runs already. */
  outcome: Extract<DeviceOutcome, 'executed' | 'already-set'> | 'ignored';
  numOutput: number;
  /** The state right after the command; absent: the device does not know it. */
  state?: OutputState;
}

export interface OutputReply {
  numOutput: number;
  before: CompleteOutput;
  after: CompleteOutput;
  /** The line of the header, which has its own level at power-on; null: the output has no line there. */
  bcm: number | null;
  /** The cures for its relay, if the change of polarity lets it close at power-on. */
  cures: Cure[];
}
