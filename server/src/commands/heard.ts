import type { CommandConfirmation, OutputState } from '@relaygate/shared';

/**
 * Where a frame stands among all that the server has heard of a product: the epoch of its link, then its number on that
 * link. Wall times cannot tell: the clock may be set back between two frames, and between two runs of the server (I11).
 */
export interface Heard {
  epoch: number;
  turn: number;
}

/** What a device said of a command; `heard` is null where that tells of the past and not of how the output is now. */
export interface HeardConfirmation extends CommandConfirmation {
  heard: Heard | null;
}

/** How an output was, and where the frame stood that told it. */
export interface Observed {
  numOutput: number;
  state: OutputState;
  heard: Heard;
}

export function isHeardBefore(one: Heard, other: Heard): boolean {
  return one.epoch === other.epoch ? one.turn < other.turn : one.epoch < other.epoch;
}
