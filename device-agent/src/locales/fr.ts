import { COMMON } from './fr/common';
import { CONSOLE } from './fr/console';
import { FAULTS } from './fr/faults';
import { FINDING_NAMES, FINDINGS } from './fr/findings';
import { PAGE } from './fr/page';
import type { Locale } from './locale';

export const FR: Locale = {
  common: COMMON,
  console: CONSOLE,
  page: PAGE,
  faults: FAULTS,
  findings: FINDINGS,
  findingNames: FINDING_NAMES,
};
