/** Board profiles as text for a terminal. */
import type { BoardProfile } from '@relaygate/shared';
import type { BoardReply } from '../agent/local-messages/board';
import { bootLevelsOf, type Cure, curesOf } from '../boards/boot-level';
import { table } from './show';

/** A profile with what follows from its lines: what `board show --json` prints. */
export interface ShownProfile extends BoardProfile {
  bootLevels: ReturnType<typeof bootLevelsOf>;
  cures: Cure[];
}

/** What `board use --json` prints. */
export interface UsedBoard extends BoardReply {
  cures: Cure[];
}

export function shownProfile(profile: BoardProfile): ShownProfile {
  return { ...profile, bootLevels: bootLevelsOf(profile), cures: curesOf(profile) };
}

export function showProfiles(profiles: readonly ShownProfile[]): string {
  const rows = profiles.map(({ name, title, relays, activeLevel, verified, cures }) => [
    name,
    String(relays.length),
    activeLevel,
    verified ? 'yes' : 'no',
    cures.length === 0 ? 'safe' : `${cures.length} at risk`,
    title,
  ]);
  return table([['name', 'relays', 'active', 'verified', 'at power-on', 'board'], ...rows]).join('\n');
}

export function showProfile(profile: ShownProfile): string {
  const { name, title, relays, activeLevel, source, verified, notes, bootLevels, cures } = profile;
  const rows = bootLevels.map(({ bcm, pin, pull, isRisky }, numOutput) => [
    String(numOutput),
    relays[numOutput]?.label ?? '',
    String(bcm),
    String(pin),
    isRisky ? `pulled ${pull}: may close until the guard drives it` : `pulled ${pull}: open`,
  ]);
  return [
    `${name}: ${title}`,
    `a relay closes on a ${activeLevel} level`,
    `source: ${source}${verified ? '' : ' (not verified: try it before you rely on it)'}`,
    '',
    ...table([['output', 'relay', 'BCM', 'pin', 'at power-on'], ...rows]),
    ...(notes.length > 0 ? ['', ...notes] : []),
    ...showCures(cures),
  ].join('\n');
}

export function showUsedBoard({ after, outputs, mustRestart, cures }: UsedBoard): string {
  if (!mustRestart) return 'this board is in use already';
  const lines = after.kind === 'simulated' ? '' : `, lines ${after.lines.join(', ')}`;
  return [
    `board: ${after.kind}${lines}`,
    ...outputs.map((fate, numOutput) => `output ${numOutput}: ${fate}`),
    ...showCures(cures),
    '',
    'Nothing is in force yet. With the board wired as "board show" says:',
    '  sudo systemctl restart relaygate-guard relaygate-agent',
  ].join('\n');
}

function showCures(cures: readonly Cure[]): string[] {
  if (cures.length === 0) return [];
  return [
    '',
    'Relays that may close at power-on are held open by a resistor each, from the first moment:',
    ...cures.map(({ configLine, resistor }) => `  ${resistor ?? `none can for ${configLine}: use another line`}`),
    'and, some seconds later, by these lines in config.txt:',
    ...cures.map(({ configLine }) => `  ${configLine}`),
  ];
}
