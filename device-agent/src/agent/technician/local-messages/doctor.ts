/** agent.sock: what `relayctl doctor` says. */
import { type Static, Type } from '@relaygate/shared';
import { ConsoleLanguage } from '@relaygate/shared/device';

export const DoctorRequest = Type.Object({
  /** Of the findings; English without. */
  language: Type.Optional(ConsoleLanguage),
});
export type DoctorRequest = Static<typeof DoctorRequest>;

/** What `relayctl doctor --json` prints. */
export interface Diagnosis {
  isWell: boolean;
  findings: Finding[];
}

export interface Finding {
  /** What was looked at, in a word or two. */
  name: string;
  /** The same for programs: its English name in every language. */
  check: string;
  /** What was found, as a word for programs: the same in every language. */
  code: string;
  verdict: 'ok' | 'warn' | 'fail';
  /** What was seen. */
  found: string;
  /** What that leads to; empty where all is well. */
  means: string;
  /** What to do; empty where nothing is to be done. */
  cure: string;
}
