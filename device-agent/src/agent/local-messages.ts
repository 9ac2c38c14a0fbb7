/** What is spoken on agent.sock: JSON lines, as on guard.sock. relayctl uses the types alone, so that it starts fast. */
import {
  type BoardSettings,
  type DeviceOutcome,
  Level,
  MAX_OUTPUTS,
  NumOutput,
  OutputMode,
  OutputName,
  OutputState,
  outputPolicies,
  PowerOn,
  RealBoardSettings,
  type Static,
  Type,
  type WholeOutput,
} from '@relaygate/shared';
import type { PolicyOff } from '../guard/protocol';

/** Who asks, as they say themselves: `relayctl as NAME`, unverified. */
const Actor = Type.String({ pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$', maxLength: 100 });

export const StatusRequest = Type.Object({});
export const IdentityRequest = Type.Object({});
export const SetRequest = Type.Object({ numOutput: NumOutput, state: OutputState, actor: Actor });
export const PulseRequest = Type.Object({ numOutput: NumOutput, actor: Actor });
export const OutputRequest = Type.Object({
  numOutput: NumOutput,
  /** Nothing in it: only shows the settings. Ranges are checked by the action, which names them. */
  change: Type.Object(
    {
      name: Type.Optional(Type.String()),
      mode: Type.Optional(OutputMode),
      pulseMs: Type.Optional(Type.Number()),
      activeLevel: Type.Optional(Level),
      powerOn: Type.Optional(PowerOn),
      ...outputPolicies,
      maxOnMs: Type.Optional(Type.Number()),
      minSwitchIntervalMs: Type.Optional(Type.Number()),
      interlock: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      interlockDelayMs: Type.Optional(Type.Number()),
      linkLossMs: Type.Optional(Type.Number()),
      agentLossMs: Type.Optional(Type.Number()),
      feedbackInput: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
      feedbackMs: Type.Optional(Type.Number()),
    },
    { additionalProperties: false },
  ),
  /** Mode, polarity and interlock of an active output: drives it inactive first. */
  force: Type.Boolean(),
  actor: Actor,
});
export type OutputRequest = Static<typeof OutputRequest>;

/** A board to be used from the next start of guard and agent on. */
export const BoardRequest = Type.Object({
  board: RealBoardSettings,
  /** What each relay is called on the board. */
  relays: Type.Array(OutputName, { minItems: 1, maxItems: MAX_OUTPUTS }),
  activeLevel: Level,
  actor: Actor,
});
export type BoardRequest = Static<typeof BoardRequest>;

export interface OutputNotes {
  /** Switched, and its feedback input did not show it. */
  unproven?: true;
  /** The board cannot be read, so the state is what was written to it. */
  confirmedBy?: 'write';
  /** The board ended the last pulse by itself, and nothing on this device could have made it longer. */
  pulseEndedBy?: 'board';
  /** The policy that switched it off since it was on last. */
  endedBy?: PolicyOff;
}

export interface DeviceStatus {
  productLogin: string;
  agentVersion: string;
  link: {
    isUp: boolean;
    serverUrl: string;
    epoch: number | null;
    /** Why it is not up. */
    problem: string | null;
  };
  guard: { isReachable: boolean; problem: string | null };
  outputs: (WholeOutput &
    OutputNotes & {
      numOutput: number;
      /** null: not known, because guard or board are away. */
      state: OutputState | null;
    })[];
  faults: string[];
}

export interface CommandReply {
  outcome: Extract<DeviceOutcome, 'executed' | 'already-set'>;
  numOutput: number;
  /** Right after; absent where the device does not know it. */
  state?: OutputState;
}

export interface OutputReply {
  numOutput: number;
  before: WholeOutput;
  after: WholeOutput;
}

export interface BoardReply {
  before: BoardSettings;
  after: BoardSettings;
  /** By the output's number. `kept`: with its name and mode; its polarity is the board's. */
  outputs: ('kept' | 'new' | 'removed')[];
  /** Nothing is in force before: guard and agent must be restarted. */
  mustRestart: boolean;
}

export interface IdentityReply {
  productLogin: string;
  serverUrl: string;
  serverName: string;
  /** 32 bytes in base64url, as the server has pinned it. */
  publicKey: string;
  fingerprint: string;
  /** A code waits for its first use. */
  hasEnrolmentCode: boolean;
}
