/** Of `settings.json` what the guard reads: its board, its outputs, and what its inputs mean. */

import { type Static, Type } from '../json-schema';
import { MAX_INPUTS, MAX_OUTPUTS } from '../limits';
import { BoardSettings } from './board-settings';
import { InputSettings } from './input-settings';
import { OutputSettings } from './output-settings';

export const GuardSettings = Type.Object({
  board: BoardSettings,
  outputs: Type.Array(OutputSettings, {
    minItems: 1,
    maxItems: MAX_OUTPUTS,
    description: "the position is the output's number",
  }),
  inputs: Type.Optional(
    Type.Array(InputSettings, {
      maxItems: MAX_INPUTS,
      description: 'inputs of the board that mean something to people',
    }),
  ),
});
export type GuardSettings = Static<typeof GuardSettings>;
