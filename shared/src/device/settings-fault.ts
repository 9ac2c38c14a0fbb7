import type { faultOf } from './settings-problems';

export type { Fault } from '../parser';

/** What is wrong with settings. Its phrase is loaded here, because good settings need none. */
export const settingsFault: typeof faultOf = (code, values) => {
  // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
  const problems: typeof import('./settings-problems') = require('./settings-problems');
  return problems.faultOf(code, values);
};
