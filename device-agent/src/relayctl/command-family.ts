import type { Command } from 'commander';
import type { BoardCommandDeps } from './board-commands';
import type { DoctorCommandDeps } from './doctor-commands';
import type { IdentityCommandDeps } from './identity-commands';
import type { OutputCommandDeps } from './output-commands';
import type { ProveCommandDeps } from './prove-commands';
import type { ResetCommandDeps } from './reset-commands';

/** What all families together work with. */
export type FamilyDeps = BoardCommandDeps &
  DoctorCommandDeps &
  IdentityCommandDeps &
  OutputCommandDeps &
  ProveCommandDeps &
  ResetCommandDeps;
/** The part of it that comes from outside of relayctl. */
export type FamilyOutside = Pick<
  FamilyDeps,
  'boards' | 'boardConfig' | 'serialPorts' | 'examine' | 'wordsIn' | 'terminal' | 'dataDir'
>;

/** Commands in a file of their own. */
export interface CommandFamily {
  names: readonly string[];
  /** Loads the file. */
  load(): (program: Command, deps: FamilyDeps) => void;
}

const HELP = ['help', '--help', '-h'];

/**
 * The families that a command line needs: loading them all makes each start longer. A word that is no command costs a
 * needless load at most; where help is asked for, or nothing is known, it is all of them, to be listed and suggested.
 */
export function familiesFor(
  words: readonly string[],
  families: readonly CommandFamily[],
  isThere: (name: string) => boolean,
): readonly CommandFamily[] {
  if (words.some((word) => HELP.includes(word))) return families;
  const named = families.filter(({ names }) => names.some((name) => words.includes(name)));
  return named.length > 0 || words.some(isThere) ? named : families;
}
