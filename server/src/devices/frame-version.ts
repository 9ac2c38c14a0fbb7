import type { CommandConfirmation, OutputState } from '@relaygate/shared';

/**
 * Orders all frames of one product: the epoch of the link, then the frame's number on that link. Wall times cannot order
 * them: the clock may be set back between two frames, and between two runs of the server (I11).
 */
export interface FrameVersion {
  epoch: number;
  seq: number;
}

/** The device's answer to a command. `version` is null if the answer reports a past state and not the present one. */
export interface DeviceConfirmation extends CommandConfirmation {
  version: FrameVersion | null;
}

/** The state of an output, and the frame that reported it. */
export interface ObservedState {
  numOutput: number;
  state: OutputState;
  version: FrameVersion;
}

/** True if `one` was sent before `other`. */
export function isOlder(one: FrameVersion, other: FrameVersion): boolean {
  return one.epoch === other.epoch ? one.seq < other.seq : one.epoch < other.epoch;
}
