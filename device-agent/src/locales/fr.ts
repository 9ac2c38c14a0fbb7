import { known } from './common';
import { COMMON, ERRORS } from './fr/common';
import { CONSOLE } from './fr/console';
import { EVENTS } from './fr/events';
import { FAULTS } from './fr/faults';
import { FINDING_NAMES, FINDINGS } from './fr/findings';
import { linkTextInFrench } from './fr/link';
import { PAGE } from './fr/page';
import { anyCauseInFrench, REFUSALS } from './fr/refusals';
import type { Locale } from './locale';

export const FR: Locale = {
  common: COMMON,
  console: CONSOLE,
  page: PAGE,
  faults: FAULTS,
  events: EVENTS,
  refusals: REFUSALS,
  linkProblem: linkTextInFrench,
  causeText: anyCauseInFrench,
  otherError: (code, message) => `${known(ERRORS, code) ?? 'Échec.'} (${message})`,
  findings: FINDINGS,
  findingNames: FINDING_NAMES,
};
