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
  /** Where state 0 ends a pulse; without it: the one that runs now. */
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
  /** Nothing in it: only shows the settings. Ranges are checked by the action, which names them. */
  change: OutputChange,
  /** Mode, polarity and interlock of an active output: drives it inactive first. */
  force: Type.Boolean(),
  ...CHANGE,
});
export type OutputRequest = Static<typeof OutputRequest>;

export interface CommandReply {
  /** `ignored`: nothing moved, because a pulse runs already. */
  outcome: Extract<DeviceOutcome, 'executed' | 'already-set'> | 'ignored';
  numOutput: number;
  /** Right after; absent where the device does not know it. */
  state?: OutputState;
}

export interface OutputReply {
  numOutput: number;
  before: CompleteOutput;
  after: CompleteOutput;
  /** Of the header, which has its own levels at power-on; null: the output has no line there. */
  bcm: number | null;
  /** Of its relay, where the change of polarity lets it close at power-on. */
  cures: Cure[];
}
