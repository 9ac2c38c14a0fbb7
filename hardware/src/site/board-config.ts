/** What config.txt says of a board: the levels that its lines have before the guard runs (I5). */
import { curesOf } from '@relaygate/device-agent/provisioning/boards/boot-level';
import { type Cure, configLinesOf } from '@relaygate/device-agent/provisioning/boards/cures';
import { type BoardProfile, isOnHeader } from '@relaygate/shared/device';
import type { SiteBoard, SiteSettings } from '@relaygate/shared/site-settings';

/** The text of BOARD_CONFIG_FILE, also where the board needs no lines: those of a board before would close its relays. */
export function boardConfigOf({ board }: SiteSettings, profiles: readonly BoardProfile[]): string {
  const lines = configLinesOf(curesOfBoard(board, profiles));
  const name = board.profile ?? 'the board';
  const none = lines.length === 0 ? ' It needs none.' : '';
  return [`# The levels of ${name} before the guard runs.${none}`, ...lines, ''].join('\n');
}

function curesOfBoard(
  { profile, settings, activeLevel = 'high' }: SiteBoard,
  profiles: readonly BoardProfile[],
): Cure[] {
  if (settings === undefined) {
    const known = profiles.find(({ name }) => name === profile);
    return known?.kind === 'gpio' ? curesOf(known) : [];
  }
  return 'lines' in settings && isOnHeader(settings)
    ? curesOf({ activeLevel, relays: settings.lines.map((bcm) => ({ bcm })) })
    : [];
}
