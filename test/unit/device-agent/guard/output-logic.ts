import type { offAt, onSinceMs } from '@relaygate/device-agent/guard/on-limit';
import type { step } from '@relaygate/device-agent/guard/output';
import type { isSettled, isTurningOn, stateOf } from '@relaygate/device-agent/guard/output-phase';
import type { powerOnActive } from '@relaygate/device-agent/guard/power-on';

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
