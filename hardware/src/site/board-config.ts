/** What config.txt is told of a board: the levels that its lines have before the guard runs (I5). */
import { type Cure, configLinesOf, curesOf } from '@relaygate/device-agent/boards/boot-level';
import { type BoardProfile, isOnHeader } from '@relaygate/shared/device';
import type { SiteBoard, SiteSettings } from '@relaygate/shared/site-settings';

/** Beside config.txt, which includes it on our image and where the device's package is installed. */
export const BOARD_FILE = 'relaygate-board.txt';

/** The text of BOARD_FILE; null: the board needs none, or its lines are not on the header. */
export function boardConfigOf({ board }: SiteSettings, profiles: readonly BoardProfile[]): string | null {
  const lines = configLinesOf(curesOfBoard(board, profiles));
  if (lines.length === 0) return null;
  const name = board.profile ?? 'the board';
  return [`# The levels of ${name} before the guard runs.`, ...lines, ''].join('\n');
}

function curesOfBoard(
  { profile, settings, activeLevel = 'high' }: SiteBoard,
  profiles: readonly BoardProfile[],
): Cure[] {
  if (settings === undefined) {
    const known = profiles.find(({ name }) => name === profile);
    return known?.kind === 'gpio' ? curesOf(known) : [];
  }
  const isGpio = settings.kind === 'gpio' || settings.kind === 'gpio-sysfs';
  return isGpio && isOnHeader(settings) ? curesOf({ activeLevel, relays: settings.lines.map((bcm) => ({ bcm })) }) : [];
}
