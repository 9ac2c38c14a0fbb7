import { bootLevelsOf, curesOf } from '@relaygate/device-agent/boards/boot-level';
import { readBoardProfiles } from '@relaygate/device-agent/cli/board-profiles';
import type { BoardProfile } from '@relaygate/shared';
import { withParts } from '../generated-parts';

/** hardware/README.md with the parts that follow from the board profiles as they should be. */
export function withBoardParts(readme: string): string {
  const profiles = readBoardProfiles();
  return withParts(readme, {
    boards: () => boardTable(profiles),
    wiring: () => profiles.map(wiringSection).join('\n\n'),
  });
}

function boardTable(profiles: readonly BoardProfile[]): string {
  const rows = profiles.map((profile) => {
    const { name, title, relays, activeLevel, verified } = profile;
    const atRisk = curesOf(profile).length;
    const power = atRisk === 0 ? 'open' : `${atRisk} may close`;
    return `| [\`${name}\`](#${name}) | ${title} | ${relays.length} | ${activeLevel} | ${power} | ${verified ? 'yes' : 'no'} |`;
  });
  return ['| name | board | relays | active | at power-on | verified |', '|---|---|---|---|---|---|', ...rows].join(
    '\n',
  );
}

function wiringSection(profile: BoardProfile): string {
  const { name, title, relays, activeLevel, source, notes } = profile;
  const rows = bootLevelsOf(profile).map(({ bcm, pin, pull, isRisky }, numOutput) => {
    const label = relays[numOutput]?.label ?? '';
    return `| ${numOutput} | ${label} | ${bcm} | ${pin} | ${pull === 'high' ? 'up' : 'down'}${isRisky ? ', **may close**' : ''} |`;
  });
  return [
    `### ${name}`,
    `${title}. A relay closes on a ${activeLevel} level. Source: ${source}.`,
    ...(notes.length > 0 ? ['', ...notes.map((note) => `- ${note}`)] : []),
    '',
    '| output | relay | BCM | pin | pulled at reset |',
    '|---|---|---|---|---|',
    ...rows,
    ...cureLines(profile),
    '',
    `![The lines of ${name} on the 40-pin header](wiring/${name}.svg)`,
  ].join('\n');
}

function cureLines(profile: BoardProfile): string[] {
  const cures = curesOf(profile);
  if (cures.length === 0) return [];
  const resistors = cures.map(({ resistor, configLine }) => resistor ?? `none can for ${configLine}`);
  return [
    '',
    `Held open by ${resistors.join(', ')}; and some seconds later in config.txt by:`,
    '',
    '```',
    ...cures.map(({ configLine }) => configLine),
    '```',
  ];
}
