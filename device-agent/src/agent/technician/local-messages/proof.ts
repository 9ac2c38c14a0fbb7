/** agent.sock: proving that each output moves the relay that it should. */
import { MAX_OUTPUTS, NumOutput, type Static, Type } from '@relaygate/shared';
import type { Level } from '@relaygate/shared/device';
import type { Proof } from '../../proof/proof-file';
import { Wiring } from '../../settings/wiring';
import { Actor, CHANGE } from './actor';

export const ProofRequest = Type.Object({});
export interface ProofReply {
  /** The wiring in use, which a proof would be about. */
  wiring: Wiring;
  /** By the output's number. */
  names: string[];
  /** The last proof, of this wiring or of another; null: none. */
  proof: Proof | null;
  isProven: boolean;
  /** Remote commands are refused while it is not proven. */
  isRequired: boolean;
}

/** Clicks the output's relay three times; the answer comes afterwards. */
export const ClickRequest = Type.Object({ numOutput: NumOutput, ...CHANGE });

export const ProveRequest = Type.Object({
  by: Actor,
  /** The wiring with which the proof began. */
  wiring: Wiring,
  /** By the output's number. */
  answers: Type.Array(
    Type.Object({
      /** The number on the board of the relay that clicked, from 1; 0: none did. */
      relay: Type.Integer({ minimum: 0, maximum: MAX_OUTPUTS }),
      /** That relay is energised while the output is commanded off. */
      isOn: Type.Boolean(),
    }),
    { maxItems: MAX_OUTPUTS },
  ),
  ...CHANGE,
});
export type ProveRequest = Static<typeof ProveRequest>;

export interface Correction {
  numOutput: number;
  line?: { from: number; to: number };
  activeLevel?: { from: Level; to: Level };
}

export type ProveReply =
  | { result: 'proven'; proof: Proof }
  /**
   * The settings were wrong and are corrected; a second round must show it. `mustRestart`: after a restart of guard and
   * agent.
   */
  | { result: 'corrected'; corrections: Correction[]; mustRestart: boolean };
