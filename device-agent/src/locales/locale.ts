import type { LinkProblem } from '../agent/link/link-problem';
import type { Translated } from './catalogue';
import type { CommonTranslations } from './common';
import type { ConsoleTranslations } from './console';
import type { EVENTS } from './en/events';
import type { REFUSALS } from './en/refusals';
import type { FaultTranslations } from './fault-text';
import type { FindingName, FindingTranslations } from './findings';
import type { PageTranslations } from './page';

/** All that the device says in one language. A sentence that lacks in one of them does not compile. */
export interface Locale extends FaultTranslations {
  /** What console and page both say. */
  common: CommonTranslations;
  console: ConsoleTranslations;
  page: PageTranslations;
  /** null: the texts with which events are kept, which are in English. */
  events: Translated<typeof EVENTS> | null;
  /** null: the messages of the refusals, which are in English. */
  refusals: Translated<typeof REFUSALS> | null;
  linkProblem(problem: LinkProblem): string;
  /** An error without a sentence of its own here; `message` is in English. */
  otherError(code: string, message: string): string;
  /** The doctor's findings. */
  findings: FindingTranslations;
  findingNames: Record<FindingName, string>;
}
