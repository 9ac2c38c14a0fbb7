import { COMMON } from './en/common';
import { CONSOLE } from './en/console';
import { FAULTS } from './en/faults';
import { FINDING_NAMES, FINDINGS } from './en/findings';
import { linkText } from './en/link';
import { PAGE } from './en/page';
import { anyCauseText } from './en/refusals';
import type { Locale } from './locale';

export const EN: Locale = {
  common: COMMON,
  console: CONSOLE,
  page: PAGE,
  faults: FAULTS,
  events: null,
  refusals: null,
  linkProblem: linkText,
  causeText: anyCauseText,
  otherError: (_code, message) => message,
  findings: FINDINGS,
  findingNames: FINDING_NAMES,
};
