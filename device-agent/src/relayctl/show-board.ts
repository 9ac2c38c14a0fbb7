/** Board profiles as text for a terminal. */
import type { BoardProfile, GpioProfile, SerialProfile } from '@relaygate/shared/device';
import type { BoardReply } from '../agent/technician/local-messages/board';
import type { RelayctlTranslations } from '../locales/relayctl';
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

export function showProfiles(profiles: readonly ShownProfile[], t: RelayctlTranslations): string {
  const rows = profiles.map((profile) => [
    profile.name,
    String(profile.relays.length),
    profile.kind === 'gpio' ? profile.activeLevel : profile.kind,
    t.isVerified(profile.verified),
    profile.kind === 'gpio' ? t.risk(profile.cures.length) : t.ownPowerOn,
    profile.fromCard ? `${profile.title} (${t.cameWithCard(profile.hidesOwn)})` : profile.title,
  ]);
  return table([t.profileColumns, ...rows]).join('\n');
}

export function showProfile(profile: ShownProfile, t: RelayctlTranslations): string {
  const { name, title, relays, source, verified, notes, bootLevels, cures } = profile;
  const rows = relays.map(({ label }, numOutput) => {
    const level = bootLevels[numOutput];
    const line = level && [String(level.bcm), String(level.pin), t.bootLevel(level.pull, level.isRisky)];
    return [String(numOutput), label, ...(line ?? [])];
  });
  const [how, columns, inputs] =
    profile.kind === 'gpio'
      ? [t.closesOn(profile.activeLevel), t.relayColumns, inputLines(profile, t)]
      : [t.onSerialPort(connectionOf(profile, t)), t.relayColumns.slice(0, 2), []];
  return [
    `${name}: ${title}`,
    how,
    ...(profile.fromCard ? [t.it(t.cameWithCard(profile.hidesOwn))] : []),
    t.source(source, verified),
    '',
    ...table([columns, ...rows]),
    ...inputs,
    ...(notes.length > 0 ? ['', ...notes] : []),
    ...showCures(cures, t),
  ].join('\n');
}

export function showUsedBoard(
  { after, outputs, lostInputs, mustRestart, cures }: UsedBoard,
  t: RelayctlTranslations,
): string {
  if (!mustRestart) return t.inUse;
  return [
    t.board(boardText(after, t.boardWords)),
    ...outputs.map((transition, numOutput) => t.output(numOutput, t.transitions[transition])),
    ...(lostInputs ?? []).map((numInput) => t.input(numInput, t.inputLost)),
    ...showCures(cures, t),
    ...(boardFacts(after).access === 'gpio-sysfs' ? t.noPulls : []),
    ...t.notInForce,
  ].join('\n');
}

function inputLines({ inputs = [] }: GpioProfile, t: RelayctlTranslations): string[] {
  return inputs.map(({ label, bcm, bias }, numInput) =>
    t.input(numInput, [label, `BCM ${bcm}`, ...(bias ? [bias] : [])].join(', ')),
  );
}

function connectionOf(profile: SerialProfile, t: RelayctlTranslations): string {
  if (profile.kind === 'lcus') return `USB ${profile.usb}, 9600 baud`;
  const { flashOn, inputs = 0 } = profile;
  const more = [...(inputs > 0 ? [t.inputCount(inputs)] : []), ...(flashOn ? [t.timesPulses] : [])];
  return [t.modbus(profile), ...more].join(', ');
}

export function showPorts(ports: readonly SerialPortFound[], t: RelayctlTranslations): string {
  if (ports.length === 0) return t.noAdapter;
  const rows = ports.map(({ path, usb, isLasting, profiles }) => [
    path,
    usb,
    t.namesPort(isLasting),
    profiles.join(', ') || '-',
  ]);
  return table([t.portColumns, ...rows]).join('\n');
}
