import { type WholeOutput, wholeOutput } from '@relaygate/shared';
import type { Device } from '../../device';
import type { ChangedSettings } from '../../history';

/** What no technician changes here; the rest is to be asked of `Facts.settings`. */
export type Rules = Omit<WholeOutput, keyof ChangedSettings>;

/** By output number. */
export function rulesOf({ setup }: Device): Rules[] {
  return setup.outputs.map(wholeOutput);
}
