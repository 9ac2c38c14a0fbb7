/** What is wrong with a device now: a word for programs with its values, of which a sentence is made where it is shown. */
import type { Quarantined } from '../files/quarantine';
import type { GuardFaults } from './guard-fault';
import type { Why } from './refusal';

type Problem = { problem: string };

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

/** Of the guard or of the agent. */
export interface Fault {
  code: string;
  values: Readonly<Record<string, string | number | Why>>;
}

export function fault<Code extends FaultCode>(code: Code, values: FaultValues[Code]): Fault {
  return { code, values };
}
