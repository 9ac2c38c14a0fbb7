import { offAt, onSinceMs } from '@relaygate/device-agent/guard/on-limit';
import { step } from '@relaygate/device-agent/guard/output';
import { isSettled, isTurningOn, stateOf } from '@relaygate/device-agent/guard/output-phase';
import { powerOnActive } from '@relaygate/device-agent/guard/power-on';

/** The pure parts of the guard that decide what an output does; a mutant changes one. */
export interface OutputLogic {
  step: typeof step;
  powerOnActive: typeof powerOnActive;
  offAt: typeof offAt;
  onSinceMs: typeof onSinceMs;
  stateOf: typeof stateOf;
  isSettled: typeof isSettled;
  isTurningOn: typeof isTurningOn;
}

export const REAL: OutputLogic = { step, powerOnActive, offAt, onSinceMs, stateOf, isSettled, isTurningOn };
