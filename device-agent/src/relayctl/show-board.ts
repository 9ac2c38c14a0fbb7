/** Board profiles as text for a terminal. */
import type { BoardProfile, SerialProfile } from '@relaygate/shared/device';
import type { BoardReply } from '../agent/technician/local-messages/board';
import { boardFacts } from '../provisioning/boards/board-facts';
import { type BootLevel, bootLevelsOf, curesOf } from '../provisioning/boards/boot-level';
import type { Cure } from '../provisioning/boards/cures';
import type { SerialPortFound } from './serial-ports';
import { showCures, table } from './show';

/** A profile with what follows from its lines: what `board show --json` prints. */
export type ShownProfile = BoardProfile & {
  /** Of the lines of the header; empty for a board that has none. */
  bootLevels: ReturnType<typeof bootLevelsOf>;
  cures: Cure[];
  /** It came with the device's card, and is in no folder. */
  fromCard: boolean;
  /** The program has another one of the same name, which is not meant. */
  hidesOwn: boolean;
};

/** What `board use --json` prints. */
export interface UsedBoard extends BoardReply {
  cures: Cure[];
}

export function shownProfile(
  profile: BoardProfile,
  from: Pick<ShownProfile, 'fromCard' | 'hidesOwn'> = { fromCard: false, hidesOwn: false },
): ShownProfile {
  if (profile.kind !== 'gpio') return { ...profile, bootLevels: [], cures: [], ...from };
  return { ...profile, bootLevels: bootLevelsOf(profile), cures: curesOf(profile), ...from };
}

/** Of one that came with the card. */
export function cameWords({ hidesOwn }: ShownProfile): string {
  return `came with the card of this device${hidesOwn ? ", and stands for the program's own of this name" : ''}`;
}

export function showProfiles(profiles: readonly ShownProfile[]): string {
  const rows = profiles.map((profile) => [
    profile.name,
    String(profile.relays.length),
    profile.kind === 'gpio' ? profile.activeLevel : profile.kind,
    profile.verified ? 'yes' : 'no',
    powerOnOf(profile),
    profile.fromCard ? `${profile.title} (${cameWords(profile)})` : profile.title,
  ]);
  return table([['name', 'relays', 'active', 'verified', 'at power-on', 'board'], ...rows]).join('\n');
}

function powerOnOf({ kind, cures }: ShownProfile): string {
  if (kind !== 'gpio') return 'its own';
  return cures.length === 0 ? 'safe' : `${cures.length} at risk`;
}

export function showProfile(profile: ShownProfile): string {
  const { name, title, relays, source, verified, notes, bootLevels, cures } = profile;
  const from = [
    ...(profile.fromCard ? [`it ${cameWords(profile)}`] : []),
    `source: ${source}${verified ? '' : ' (not verified: try it before you rely on it)'}`,
  ];
  if (profile.kind !== 'gpio') {
    const labels = relays.map(({ label }, numOutput) => [String(numOutput), label]);
    const lines = [`${name}: ${title}`, `on a serial port: ${connectionOf(profile)}`, ...from, ''];
    return [...lines, ...table([['output', 'relay'], ...labels]), ...(notes.length > 0 ? ['', ...notes] : [])].join(
      '\n',
    );
  }
  const { activeLevel } = profile;
  const rows = bootLevels.map((level, numOutput) => [
    String(numOutput),
    relays[numOutput]?.label ?? '',
    String(level.bcm),
    String(level.pin),
    bootWords(level),
  ]);
  return [
    `${name}: ${title}`,
    `a relay closes on a ${activeLevel} level`,
    ...from,
    '',
    ...table([['output', 'relay', 'BCM', 'pin', 'at power-on'], ...rows]),
    ...(notes.length > 0 ? ['', ...notes] : []),
    ...showCures(cures),
  ].join('\n');
}

function bootWords({ pull, isUart, isRisky }: BootLevel): string {
  return `${isUart ? "the UART's" : `pulled ${pull}`}: ${isRisky ? 'may close until the guard drives it' : 'open'}`;
}

export function showUsedBoard({ after, outputs, mustRestart, cures }: UsedBoard): string {
  if (!mustRestart) return 'this board is in use already';
  return [
    `board: ${boardFacts(after).words}`,
    ...outputs.map((transition, numOutput) => `output ${numOutput}: ${transition}`),
    ...showCures(cures),
    ...(boardFacts(after).access === 'gpio-sysfs' ? NO_PULLS : []),
    '',
    'Nothing is in force yet. With the board connected as "board show" says:',
    '  sudo systemctl restart relaygate-guard relaygate-agent',
  ].join('\n');
}

/** The kernel's character device has them, and the guard sets them towards "off". */
const NO_PULLS = [
  '',
  'Through /sys no pull is set: once the guard has ended, a line that becomes an input goes where its own pull takes it.',
  'Put a resistor towards "off" at each line, or leave out --sysfs on a kernel from 5.10 on.',
];

function connectionOf(profile: SerialProfile): string {
  if (profile.kind === 'lcus') return `USB ${profile.usb}, 9600 baud`;
  const { baud, parity, address, flashOn } = profile;
  return `Modbus RTU, ${baud} baud, parity ${parity}, address ${address}${flashOn ? ', times pulses by itself' : ''}`;
}

/** Adapters as `board ports` shows them. */
export function showPorts(ports: readonly SerialPortFound[]): string {
  if (ports.length === 0) return 'no serial adapter is plugged in';
  const rows = ports.map(({ path, usb, isLasting, profiles }) => [
    path,
    usb,
    isLasting ? 'the adapter, wherever it is plugged in' : 'the socket it is plugged into',
    profiles.join(', ') || '-',
  ]);
  return table([['port', 'usb', 'names', 'may be'], ...rows]).join('\n');
}
