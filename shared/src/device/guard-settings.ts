/** Of `settings.json` what the guard reads: its board and its outputs. */

import { type Static, Type } from '../json-schema';
import { MAX_OUTPUTS } from '../limits';
import { BoardSettings } from './board-settings';
import { OutputSettings } from './output-settings';

export const GuardSettings = Type.Object({
  board: BoardSettings,
  outputs: Type.Array(OutputSettings, {
    minItems: 1,
    maxItems: MAX_OUTPUTS,
    description: "the position is the output's number",
  }),
});
export type GuardSettings = Static<typeof GuardSettings>;
