import type { Command } from 'commander';
import type { CommandDeps } from './command-deps';

/** Commands in a file of their own. */
export interface CommandFamily {
  names: readonly string[];
  /** Loads the file. */
  load(): (program: Command, deps: CommandDeps) => void;
}

const HELP = ['help', '--help', '-h'];

/**
 * The families that a command line needs, because loading them all makes each start longer. A word that is no command costs
 * a needless load at most. For help, or if nothing is known, all are loaded, to be listed and suggested.
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
