/** agent.sock: how the device is, and who it is. */
import { type DeviceOutcome, type OutputState, Type } from '@relaygate/shared';
import { type CompleteOutput, ConsoleLanguage, type InputSettings, type Level } from '@relaygate/shared/device';
import type { PolicyOff } from '../../../guard/protocol';
import type { LinkCause } from '../../link/link-problem';

export type { LinkCause };

export const StatusRequest = Type.Object({
  /** The language of reasons and faults; English if absent. The system's own texts stay as they are. */
  language: Type.Optional(ConsoleLanguage),
});
export const IdentityRequest = Type.Object({});

/** As it is shown to people and programs: the sentence is in the language that was asked for. */
export interface ShownFault {
  code: string;
  text: string;
}

export interface DeviceStatus {
  /** The device's monotonic clock, in whole milliseconds, when this was answered. */
  nowMs: number;
  productLogin: string;
  agentVersion: string;
  link: {
    isUp: boolean;
    serverUrl: string;
    epoch: number | null;
    /** Why it is not up, in words. */
    problem: string | null;
    /** The reason as a word, for programs. */
    cause: LinkCause | null;
  };
  guard: { isReachable: boolean; problem: string | null };
  outputs: OutputStatus[];
  /** The inputs that mean something. Absent: the agent is older, and knows of none. */
  inputs?: InputStatus[];
  /** The last commands of this boot that are through, the newest last. */
  lastCommands: ShownCommand[];
  faults: ShownFault[];
  /** How long the technician's page stays on; null: it is off. */
  webLeftMs: number | null;
}

export interface OutputStatus extends CompleteOutput {
  numOutput: number;
  /** null: not known, because guard or board are away. */
  state: OutputState | null;
  /** Switched, and its feedback input did not show it. */
  unproven?: true;
  /** The board cannot be read, so the state is what was written to it. */
  confirmedBy?: 'write';
  /** The board ended the last pulse by itself, and nothing on this device could have made it longer. */
  pulseEndedBy?: 'board';
  /** The policy that switched it off since it was on last. */
  endedBy?: PolicyOff;
  /** When the pulse that runs began, on the device's monotonic clock: names it to `stop`. */
  pulseSinceMs?: number;
  pulseLeftMs?: number;
  /** Maintenance: no remote command moves it for so long. `isUnsaved`: the lock is in force, and not durable. */
  lock?: { leftMs: number; by: string; isUnsaved?: true };
}

export interface InputStatus {
  /** The board's number. */
  numInput: number;
  name: string;
  kind: InputSettings['kind'];
  /** null: not known, because guard or board are away, or the input flaps. */
  state: 'open' | 'closed' | 'pressed' | 'released' | null;
  /** As the guard reads it; absent: nobody knows. */
  level?: Level;
  /** Since the start of the guard; absent: nobody knows. */
  hasChanged?: boolean;
  /** How long it has been so; absent: nobody knows. */
  forMs?: number;
}

export interface ShownCommand {
  numOutput: number;
  /** "set 0 on", "pulse 2". */
  words: string;
  /** Who gave it; null: nobody knows. */
  by: string | null;
  /** `ignored`: nothing moved, because a pulse ran. */
  outcome: DeviceOutcome | 'ignored';
  reason?: string;
  /** ISO 8601 in UTC; null: the wall clock is not set. */
  at: string | null;
  agoMs: number;
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
  /** SHA-256 of the page's certificate, as browsers show it; null: the page was never on. */
  webFingerprint: string | null;
}
