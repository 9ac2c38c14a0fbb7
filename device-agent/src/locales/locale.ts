import type { LinkProblem } from '../agent/link/link-problem';
import type { Translated } from './catalogue';
import type { CommonWords } from './common';
import type { Words as ConsoleWords } from './console';
import type { EVENTS } from './en/events';
import type { REFUSALS } from './en/refusals';
import type { FaultWords } from './fault-text';
import type { FindingName, FindingWords } from './findings';
import type { Words as PageWords } from './page';

/** All that the device says in one language. A sentence that lacks in one of them does not compile. */
export interface Locale extends FaultWords {
  /** What console and page both say. */
  common: CommonWords;
  console: ConsoleWords;
  page: PageWords;
  /** null: the texts with which events are kept, which are in English. */
  events: Translated<typeof EVENTS> | null;
  /** null: the messages of the refusals, which are in English. */
  refusals: Translated<typeof REFUSALS> | null;
  linkProblem(problem: LinkProblem): string;
  /** An error without a sentence of its own here; `message` is in English. */
  otherError(code: string, message: string): string;
  /** The doctor's findings. */
  findings: FindingWords;
  findingNames: Record<FindingName, string>;
}
