/**
 * What an edited file of a site asks for anew. What it named before as well is no wish: a proof or a technician may have
 * changed that on the device since.
 */
import { isDeepStrictEqual } from 'node:util';
import { type BoardSettings, type DeviceSettings, isSameBoard, type OutputSettings } from '@relaygate/shared/device';
import type { SiteSettings } from '@relaygate/shared/site-settings';
import type { BoardChange } from '../boards/board-change';

/** The file that was taken over last. */
export interface FormerSite {
  site: Omit<SiteSettings, 'outputs'>;
  /** As they were in the file, because their names may be older than the rules for names. */
  outputs: readonly object[];
}

type SiteOutputs = NonNullable<SiteSettings['outputs']>;

/** How somebody on site reaches the device, and what inputs mean; undefined: as it was. */
export interface SiteTechnician {
  inputs: SiteSettings['inputs'];
  console: SiteSettings['console'];
  buttonLine: number | undefined;
}

export function technicianAnew({ inputs, console, web }: SiteSettings, former: FormerSite | null): SiteTechnician {
  const { site } = former ?? {};
  return {
    inputs: anew(inputs, site?.inputs),
    console: anew(console, site?.console),
    buttonLine: anew(web?.buttonLine, site?.web?.buttonLine),
  };
}

/** The members of each output that are new. An output that the device does not have yet gets all of them. */
export function outputsAnew(
  outputs: SiteOutputs,
  former: FormerSite | null,
  { length }: OutputSettings[],
): SiteOutputs {
  return outputs.map((output, n) => {
    const before = new Map<string, unknown>(n < length ? Object.entries(former?.outputs[n] ?? {}) : []);
    return Object.fromEntries(Object.entries(output).filter(([member, value]) => before.get(member) !== value));
  });
}

/** Whether both files name the same board. */
export function isSameChange(one: BoardChange, other: BoardChange): boolean {
  return (
    isSameBoard(one.board, other.board) &&
    one.activeLevel === other.activeLevel &&
    one.relays.length === other.relays.length
  );
}

/**
 * `after` with the lines and the polarity that a proof has corrected: the device has the relays of that board already, and
 * the file names no other wiring of them than before. If nobody knows what it named (`former` is null), nothing moves (I14).
 */
export function withProvenWiring(
  after: DeviceSettings,
  before: DeviceSettings,
  { change, former }: { change: BoardChange; former: BoardChange | null },
): DeviceSettings {
  const { board } = after;
  // Other boards have one wiring, and no proof corrects it.
  if (!('lines' in board && 'lines' in before.board) || !hasSameRelays(before.board, change.board)) return after;
  if (former !== null && hasSameRelays(former.board, change.board) && !isSameWiring(former, change)) return after;
  const levels = before.outputs.map(({ activeLevel }) => activeLevel);
  const outputs = after.outputs.map((output, n) => ({ ...output, activeLevel: levels[n] ?? output.activeLevel }));
  return { ...after, board: { ...board, lines: before.board.lines }, outputs };
}

function anew<T>(value: T, before: unknown): T | undefined {
  return isDeepStrictEqual(value, before) ? undefined : value;
}

function isSameWiring(one: BoardChange, other: BoardChange): boolean {
  return one.activeLevel === other.activeLevel && isDeepStrictEqual(linesOf(one.board), linesOf(other.board));
}

/** Whether both have the same lines, in any order. */
function hasSameRelays(one: BoardSettings, other: BoardSettings): boolean {
  if (!('lines' in one && 'lines' in other)) return false;
  const isSameKind = one.profile === other.profile && one.chip === other.chip;
  return isSameKind && isDeepStrictEqual([...one.lines].sort(), [...other.lines].sort());
}

function linesOf(board: BoardSettings): number[] {
  return 'lines' in board ? board.lines : [];
}
