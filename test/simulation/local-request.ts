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
  /** Every relay does what it should. */
  | { type: 'prove' };
