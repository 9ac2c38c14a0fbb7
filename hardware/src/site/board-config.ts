/** What config.txt is told of a board: the levels that its lines have before the guard runs (I5). */
import { curesOf } from '@relaygate/device-agent/boards/boot-level';
import type { BoardProfile } from '@relaygate/shared';
import type { SiteSettings } from '@relaygate/shared/site-settings';

/** Beside config.txt, which includes it on our image and where the device's package is installed. */
export const BOARD_FILE = 'relaygate-board.txt';

/** The text of BOARD_FILE; null: the board needs none, or is no profile. */
export function boardConfigOf({ board }: SiteSettings, profiles: readonly BoardProfile[]): string | null {
  const profile = profiles.find(({ name }) => name === board.profile);
  const cures = profile?.kind === 'gpio' ? curesOf(profile) : [];
  if (cures.length === 0) return null;
  return [
    `# The levels of ${profile?.name} before the guard runs.`,
    ...cures.map(({ configLine }) => configLine),
    '',
  ].join('\n');
}
