/** Board profiles as text for a terminal. */
import type { BoardProfile, GpioProfile, SerialProfile } from '@relaygate/shared/device';
import type { BoardReply } from '../agent/technician/local-messages/board';
import type { RelayctlWords } from '../locales/relayctl';
import { boardFacts, boardText } from '../provisioning/boards/board-facts';
import { bootLevelsOf, curesOf } from '../provisioning/boards/boot-level';
import type { Cure } from '../provisioning/boards/cures';
import type { SerialPortFound } from './serial-ports';
import { showCures, table } from './show';

/** A profile with what follows from its lines: what `board show --json` prints. */
export type ShownProfile = BoardProfile & {
  /** The levels of the header's lines; empty for a board that has none. */
  bootLevels: ReturnType<typeof bootLevelsOf>;
  cures: Cure[];
  /** It came with the device's card, and is in no folder. */
  fromCard: boolean;
  /** The program has another profile of the same name, which is not meant. */
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

export function showProfiles(profiles: readonly ShownProfile[], words: RelayctlWords): string {
  const rows = profiles.map((profile) => [
    profile.name,
    String(profile.relays.length),
    profile.kind === 'gpio' ? profile.activeLevel : profile.kind,
    words.isVerified(profile.verified),
    profile.kind === 'gpio' ? words.risk(profile.cures.length) : words.ownPowerOn,
    profile.fromCard ? `${profile.title} (${words.cameWithCard(profile.hidesOwn)})` : profile.title,
  ]);
  return table([words.profileColumns, ...rows]).join('\n');
}

export function showProfile(profile: ShownProfile, words: RelayctlWords): string {
  const { name, title, relays, source, verified, notes, bootLevels, cures } = profile;
  const from = [
    ...(profile.fromCard ? [words.it(words.cameWithCard(profile.hidesOwn))] : []),
    words.source(source, verified),
  ];
  if (profile.kind !== 'gpio') {
    const labels = relays.map(({ label }, numOutput) => [String(numOutput), label]);
    const lines = [`${name}: ${title}`, words.onSerialPort(connectionOf(profile, words)), ...from, ''];
    return [
      ...lines,
      ...table([words.relayColumns.slice(0, 2), ...labels]),
      ...(notes.length > 0 ? ['', ...notes] : []),
    ].join('\n');
  }
  const { activeLevel } = profile;
  const rows = bootLevels.map((level, numOutput) => [
    String(numOutput),
    relays[numOutput]?.label ?? '',
    String(level.bcm),
    String(level.pin),
    words.bootLevel(level.isUart ? null : level.pull, level.isRisky),
  ]);
  return [
    `${name}: ${title}`,
    words.closesOn(activeLevel),
    ...from,
    '',
    ...table([words.relayColumns, ...rows]),
    ...inputLines(profile, words),
    ...(notes.length > 0 ? ['', ...notes] : []),
    ...showCures(cures, words),
  ].join('\n');
}

export function showUsedBoard(
  { after, outputs, lostInputs, mustRestart, cures }: UsedBoard,
  words: RelayctlWords,
): string {
  if (!mustRestart) return words.inUse;
  return [
    words.board(boardText(after, words.boardWords)),
    ...outputs.map((transition, numOutput) => words.output(numOutput, words.transitions[transition])),
    ...(lostInputs ?? []).map((numInput) => words.input(numInput, words.inputLost)),
    ...showCures(cures, words),
    ...(boardFacts(after).access === 'gpio-sysfs' ? words.noPulls : []),
    ...words.notInForce,
  ].join('\n');
}

function inputLines({ inputs = [] }: GpioProfile, words: RelayctlWords): string[] {
  return inputs.map(({ label, bcm, bias }, numInput) =>
    words.input(numInput, [label, `BCM ${bcm}`, ...(bias ? [bias] : [])].join(', ')),
  );
}

function connectionOf(profile: SerialProfile, words: RelayctlWords): string {
  if (profile.kind === 'lcus') return `USB ${profile.usb}, 9600 baud`;
  const { flashOn, inputs = 0 } = profile;
  const more = [...(inputs > 0 ? [words.inputCount(inputs)] : []), ...(flashOn ? [words.timesPulses] : [])];
  return [words.modbus(profile), ...more].join(', ');
}

export function showPorts(ports: readonly SerialPortFound[], words: RelayctlWords): string {
  if (ports.length === 0) return words.noAdapter;
  const rows = ports.map(({ path, usb, isLasting, profiles }) => [
    path,
    usb,
    words.namesPort(isLasting),
    profiles.join(', ') || '-',
  ]);
  return table([words.portColumns, ...rows]).join('\n');
}
