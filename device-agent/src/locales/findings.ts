import type { FindingValues } from '../doctor/finding-values';
import type { WordsOf as Words } from './sentence';

/** `found`: what was seen; `means`: what that leads to; `cure`: what to do. Empty without. */
export interface Sentences {
  found: string;
  means?: string;
  cure?: string;
}

/** What is said of some of the findings. */
export type WordsOf<Values> = Words<Values, Sentences>;
export type FindingWords = WordsOf<FindingValues>;

/** Its name in English is the one for programs. */
export type FindingName =
  | 'settings'
  | 'programs'
  | 'faults'
  | 'enrolment'
  | 'proof'
  | 'kernel'
  | 'GPIO access'
  | 'board'
  | 'inputs'
  | 'power-on'
  | 'killed process'
  | 'console'
  | 'server name'
  | 'server'
  | 'certificate'
  | 'clock'
  | 'time service'
  | 'disk'
  | 'file system'
  | 'card'
  | 'supply'
  | 'watchdog'
  | 'secrets'
  | 'permissions';
