import { chosenBoard } from '@relaygate/device-agent/provisioning/boards/board-choice';
import { bootLevelsOf, curesOf } from '@relaygate/device-agent/provisioning/boards/boot-level';
import { configLinesOf, holdWords } from '@relaygate/device-agent/provisioning/boards/cures';
import { readBoardProfiles } from '@relaygate/device-agent/relayctl/board-profiles';
import type { BoardProfile, GpioProfile, SerialProfile } from '@relaygate/shared/device';
import { withParts } from '../../chance/generated-parts';

/** hardware/README.md with the table of the board profiles as it should be. */
export function withBoardTable(document: string): string {
  return withParts(document, { boards: () => boardTable(readBoardProfiles()) });
}

/** hardware/WIRING.md with the section of each board profile as it should be. */
export function withWiring(document: string): string {
  return withParts(document, { wiring: () => readBoardProfiles().map(wiringSection).join('\n\n') });
}

function boardTable(profiles: readonly BoardProfile[]): string {
  const rows = profiles.map((profile) => {
    const { name, title, relays, verified } = profile;
    const atRisk = profile.kind === 'gpio' ? curesOf(profile).length : 0;
    const power = profile.kind === 'gpio' ? (atRisk === 0 ? 'open' : `${atRisk} may close`) : 'its own';
    const activeLevel = profile.kind === 'gpio' ? profile.activeLevel : profile.kind;
    return `| [\`${name}\`](WIRING.md#${name}) | ${title} | ${relays.length} | ${activeLevel} | ${power} | ${verified ? 'yes' : 'no'} |`;
  });
  return [
    '| name | board | relays | active, or kind | at power-on | verified |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function wiringSection(profile: BoardProfile): string {
  return profile.kind === 'gpio' ? headerSection(profile) : serialSection(profile);
}

function serialSection(profile: SerialProfile): string {
  const { name, title, relays, source, notes } = profile;
  const port = profile.kind === 'lcus' ? '/dev/serial/by-path/...' : '/dev/serial/by-id/...';
  const { board } = chosenBoard(profile, { port });
  const connection =
    profile.kind === 'lcus'
      ? `On USB (${profile.usb}).`
      : `On a serial adapter: Modbus RTU, ${profile.baud} baud, parity ${profile.parity}, address ${profile.address}.`;
  return [
    `### ${name}`,
    `${title}. ${connection} Source: ${source}.`,
    ...(notes.length > 0 ? ['', ...notes.map((note) => `- ${note}`)] : []),
    '',
    `Outputs 0 to ${relays.length - 1} are ${relays.map(({ label }) => label).join(', ')}. In settings.json:`,
    '',
    '```json',
    `"board": ${JSON.stringify(board)}`,
    '```',
  ].join('\n');
}

function headerSection(profile: GpioProfile): string {
  const { name, title, relays, activeLevel, source, notes } = profile;
  const rows = bootLevelsOf(profile).map(({ bcm, pin, pull, isUart, isRisky }, numOutput) => {
    const label = relays[numOutput]?.label ?? '';
    return `| ${numOutput} | ${label} | ${bcm} | ${pin} | ${isUart ? "the UART's" : pull === 'high' ? 'up' : 'down'}${isRisky ? ', **may close**' : ''} |`;
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

function cureLines(profile: GpioProfile): string[] {
  const cures = curesOf(profile);
  if (cures.length === 0) return [];
  const lines = configLinesOf(cures);
  const held = `Held open by ${cures.map(holdWords).join(', ')}`;
  if (lines.length === 0) return ['', `${held}.`];
  return ['', `${held}; and some seconds later in config.txt by:`, '', '```', ...lines, '```'];
}
