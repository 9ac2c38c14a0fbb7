/** agent.sock: what `relayctl doctor` says. */
import { type Static, Type } from '@relaygate/shared';
import { ConsoleLanguage } from '@relaygate/shared/device';

export const DoctorRequest = Type.Object({
  /** The language of the findings; English if absent. */
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
  /** The name for programs: English in every language. */
  check: string;
  /** What was found, as a word for programs: the same in every language. */
  code: string;
  verdict: 'ok' | 'warn' | 'fail';
  /** What was seen. */
  found: string;
  /** What follows from it; empty if all is well. */
  means: string;
  /** What to do; empty if nothing. */
  cure: string;
}
