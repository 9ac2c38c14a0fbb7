/** agent.sock: what `relayctl doctor` says. */
import { Type } from '@relaygate/shared';

export const DoctorRequest = Type.Object({});

/** What `relayctl doctor --json` prints. */
export interface Diagnosis {
  isWell: boolean;
  findings: Finding[];
}

export interface Finding {
  /** What was looked at, in a word or two. */
  name: string;
  verdict: 'ok' | 'warn' | 'fail';
  /** What was seen. */
  found: string;
  /** What that leads to; empty where all is well. */
  means: string;
  /** What to do; empty where nothing is to be done. */
  cure: string;
}
