import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Resume, Welcome } from '@relaygate/shared';
import { ROOT } from '../processes/program';

/** One exchange of hello, challenge and proof; all but the names in base64url. */
export interface ProofVector {
  case: string;
  publicKey: string;
  serverName: string;
  productLogin: string;
  deviceNonce: string;
  serverNonce: string;
  signature: string;
}

interface ProofVectors {
  accepted: (ProofVector & { seed: string; text: string })[];
  refused: ProofVector[];
}

interface TimeVectors {
  cases: {
    case: string;
    samples: { sentMs: number; receivedMs: number; serverMs: number }[];
    nowMs: number;
    executeBeforeMs: number;
    /** null: no time sync. */
    startBeforeMs: number | null;
  }[];
}

interface EnrolmentCodeVectors {
  accepted: { case: string; code: string }[];
  /** A device does not send them. */
  refused: { case: string; code: string }[];
}

/** What the tester, who plays the server, does or waits for; see shared/README.md. */
export type DeviceStep =
  | { opens: { afterMs?: number; beforeMs?: number } }
  | { handshake: Pick<Welcome, 'epoch' | 'unresolved'> & Pick<Resume, 'outcomes' | 'notStarted'> }
  | { says: object }
  | { hears: Record<string, unknown> }
  | { hearsText: string }
  | { silentMs: number }
  | { timeAnswered: boolean }
  | { cut: object }
  | { close: number }
  | { ends: object };

interface DeviceDialogues {
  device: { serverName: string; outputs: { numOutput: number; mode: string; pulseMs?: number }[] };
  dialogues: { number: number; proves: string; steps: DeviceStep[]; moves: [number, 0 | 1][] }[];
}

/** What the tester, who plays the device, does or waits for. */
export type ServerStep =
  | { sends: object }
  | { sendsText: string }
  | { hears: object }
  | { silent: true }
  | { up: true }
  | { closed: number };

interface ServerDialogues {
  dialogues: { number: number; proves: string; steps: ServerStep[] }[];
}

export const DEVICE_DIALOGUES: DeviceDialogues = read('device-dialogues.json');
export const SERVER_DIALOGUES: ServerDialogues = read('server-dialogues.json');
export const ENROLMENT_CODE_VECTORS: EnrolmentCodeVectors = read('enrolment-codes.json');
export const PROOF_VECTORS: ProofVectors = read('link-proof.json');
export const TIME_VECTORS: TimeVectors = read('time-exchange.json');

function read<T>(name: string): T {
  return JSON.parse(readFileSync(join(ROOT, 'shared/vectors', name), 'utf8'));
}
