import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../processes';

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

export const PROOF_VECTORS: ProofVectors = read('link-proof.json');
export const TIME_VECTORS: TimeVectors = read('time-exchange.json');

function read<T>(name: string): T {
  return JSON.parse(readFileSync(join(ROOT, 'shared/vectors', name), 'utf8'));
}
