/** What is wrong with a device now: a word for programs with its values, of which a sentence is made where it is shown. */
import type { Quarantined } from '../files/quarantine';
import type { Why } from './refusal';

type Problem = { problem: string };
type OfOutput = { numOutput: number; name: string };

/** Of the guard. `problem` is a phrase of ours (phrases.ts) or the system's own words. */
export interface GuardFaults {
  'output-stuck': OfOutput & Problem;
  'output-not-asked': OfOutput & Problem;
  'output-unproven': OfOutput;
  'interlock-alone': OfOutput & { interlock: string };
  'interlock-unread': OfOutput & { interlock: string };
  'board-away': Problem;
  'state-unwritten': Problem;
  'journal-unwritten': Problem;
  'off-orders-unwritten': Problem;
  'file-corrupt': { file: string } & Quarantined;
  'file-unreadable': { file: string } & Problem & Quarantined;
}

/** All of them. */
export interface FaultValues extends GuardFaults {
  'guard-away': Problem;
  'not-linked': Problem;
  'epoch-behind': { epoch: number; guardEpoch: number };
  'key-elsewhere': { times: number };
  'clock-not-set': Record<never, never>;
  'other-board': Record<never, never>;
  'output-count': { own: number; guards: number };
  'output-not-in-force': { numOutput: number; why: Why };
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
  'hotspot-stays': { why: Why };
  'console-away': { port: string } & Problem;
}

export type FaultCode = keyof FaultValues;

/** As it goes from the guard to the agent. */
export interface GuardFault {
  code: string;
  values: Readonly<Record<string, string | number>>;
}

/** Of the guard or of the agent. */
export interface Fault {
  code: string;
  values: Readonly<Record<string, string | number | Why>>;
}

export function fault<Code extends keyof GuardFaults>(code: Code, values: GuardFaults[Code]): GuardFault;
export function fault<Code extends FaultCode>(code: Code, values: FaultValues[Code]): Fault;
export function fault<Code extends FaultCode>(code: Code, values: FaultValues[Code]): Fault {
  return { code, values };
}
