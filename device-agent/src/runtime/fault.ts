/** What is wrong with a device now: a word for programs with its values, of which a sentence is made where it is shown. */
import type { Quarantined } from '../files/quarantine';
import { causeText } from '../locales/en/causes';
import type { Cause, Reason } from './cause';

type Problem = { problem: Cause };
type OfInput = { numInput: number; name: string };
type OfOutput = { numOutput: number; name: string };

/** Of the board and what hangs on its lines. */
export interface LineFaults {
  'output-stuck': OfOutput & Problem;
  'output-not-asked': OfOutput & Problem;
  'output-unproven': OfOutput;
  'interlock-alone': OfOutput & { interlock: string };
  'interlock-unread': OfOutput & { interlock: string };
  'input-flapping': OfInput;
  'input-unread': OfInput;
  'button-stuck': OfInput;
  'tamper-open': OfInput;
  'board-away': Problem;
}

/** Of the guard's files. */
export interface GuardFileFaults {
  'state-unwritten': Problem;
  'journal-unwritten': Problem;
  'off-orders-unwritten': Problem;
  'file-corrupt': { file: string } & Quarantined;
  'file-unreadable': { file: string } & Problem & Quarantined;
}

/** All of them. */
export interface FaultValues extends LineFaults, GuardFileFaults {
  'guard-away': Problem;
  'not-linked': Problem;
  'epoch-behind': { epoch: number; guardEpoch: number };
  'key-elsewhere': { times: number };
  'clock-not-set': Record<never, never>;
  'other-board': Record<never, never>;
  'output-count': { own: number; guards: number };
  'output-not-in-force': { numOutput: number; why: Cause };
  'locks-corrupt': { path: string } & Quarantined;
  'locks-unreadable': { path: string } & Problem & Quarantined;
  'locks-unwritten': { path: string } & Problem;
  'code-useless': { path: string };
  'code-unreadable': { path: string } & Problem;
  'not-proven': Record<never, never>;
  'proof-unreadable': { path: string } & Problem;
  'history-corrupt': { path: string } & Quarantined;
  'history-unreadable': { path: string } & Problem & Quarantined;
  'history-unwritten': Problem;
  'hotspot-stays': { why: Cause };
  'console-away': { port: string } & Problem;
}

export type FaultCode = keyof FaultValues;

/** Of the guard or of the agent, and as it goes from the one to the other. */
export interface Fault {
  code: string;
  /** A cause among them is in English, which an agent of an older version shows. */
  values: Readonly<Record<string, string | number>>;
  /** The same causes for a reader of any language. */
  causes?: Readonly<Record<string, object>>;
}

export function fault<Code extends FaultCode>(code: Code, of: FaultValues[Code]): Fault {
  const values: Record<string, string | number> = {};
  const causes: Record<string, Reason> = {};
  for (const [name, value] of Object.entries<Cause | number>(of)) {
    values[name] = typeof value === 'object' ? causeText(value) : value;
    if (typeof value === 'object') causes[name] = value;
  }
  return { code, values, ...(Object.keys(causes).length === 0 ? {} : { causes }) };
}
