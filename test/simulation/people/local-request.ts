import type { Answer } from '@relaygate/device-agent/proof/proof-round';
import type { OutputSettings } from '@relaygate/shared/device';

/** The settings that technicians change here. */
export type ChangedSettings = Partial<Pick<OutputSettings, 'mode' | 'pulseMs' | 'powerOn'>>;

/** A technician's, as `relayctl` sends it. */
export type LocalRequest =
  /** `withinMs`: whoever asks waits for so long only; as long as `relayctl` does where it is missing. */
  | { type: 'set'; numOutput: number; state: 0 | 1; withinMs?: number }
  | { type: 'pulse'; numOutput: number }
  /** Of the pulse that the status showed `afterMs` ago. */
  | { type: 'stop'; numOutput: number; afterMs: number }
  | { type: 'lock'; numOutput: number; forMs: number }
  | { type: 'unlock'; numOutput: number }
  | { type: 'output'; numOutput: number; change: ChangedSettings; force: boolean }
  | { type: 'click'; numOutput: number }
  | { type: 'new-pin' }
  | { type: 'factory-reset'; productLogin: string }
  | { type: 'web-on'; forMs: number; hotspot: false }
  /** What whoever watched says of the clicks, by the output's number. */
  | { type: 'prove'; answers: readonly Answer[] };

/** For the address of whoever sits at the device itself. */
export const CONSOLE = 'console';

/** Somebody at the technician's page, or at the serial console: with which PIN, and what is set then. */
export interface Visit {
  host: string;
  /** `old`: the one before the last. */
  pin: 'right' | 'wrong' | 'old';
  /** From the login to the action. */
  pauseMs: number;
  numOutput: number;
  state: 0 | 1;
}

/**
 * What becomes of a proof of the wiring: what was seen is said; two relays are taken for each other; none was seen; or nothing
 * has clicked, and all is well.
 */
export type Watching = 'seen' | 'exchanged' | 'unseen' | 'guessed';
