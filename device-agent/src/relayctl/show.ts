/** The agent's answers as text for a terminal. */
import type { IdentityReply } from '../agent/technician/local-messages/device';
import type { NewPinReply } from '../agent/technician/local-messages/history';
import type { CommandReply, OutputReply } from '../agent/technician/local-messages/outputs';
import type { RelayctlTranslations } from '../locales/relayctl';
import { BOARD_CONFIG_FILE, type FirmwareClosing } from '../provisioning/boards/boot-config';
import { type Cure, configLinesOf } from '../provisioning/boards/cures';

export function showCommand({ numOutput, outcome, state }: CommandReply, t: RelayctlTranslations): string {
  return t.output(numOutput, (t.outcomes[outcome] ?? outcome) + nowOf(state, t));
}

/** "Ended" does not say that what the relay has started has ended. */
export function showStop({ numOutput, outcome, state }: CommandReply, t: RelayctlTranslations): string {
  const now = nowOf(state, t);
  return t.output(numOutput, outcome === 'executed' ? t.pulseEnded(now) : t.noPulse(now));
}

function nowOf(state: CommandReply['state'], { nowSo, states }: RelayctlTranslations): string {
  return state === undefined ? '' : nowSo(state === 1 ? states.on : states.off);
}

/** What `output --json` prints. */
export interface ShownOutput extends OutputReply {
  /** What the firmware does to the relay at power-on, if its polarity has changed. */
  closings: FirmwareClosing[];
}

/** A line for each member of the change; without a change, all settings. */
export function showOutput(
  { numOutput, before, after, cures, closings }: ShownOutput,
  asked: readonly string[],
  t: RelayctlTranslations,
): string {
  const was = new Map(Object.entries(before));
  const members = Object.entries(after).map(([member, now]) => ({
    member,
    is: String(now ?? t.none),
    was: String(was.get(member) ?? t.none),
    isSame: was.get(member) === now,
  }));
  if (asked.length === 0)
    return [t.settingsOf(numOutput), ...members.map(({ member, is }) => `  ${t.member(member)}: ${is}`)].join('\n');
  const changes = members
    .filter(({ member, isSame }) => asked.includes(member) || !isSame)
    .map(({ member, is, was, isSame }) => {
      const name = t.member(member);
      return t.output(numOutput, isSame ? t.isAlready(name, is) : `${name} ${was} -> ${is}`);
    });
  const given = closings.map(({ bcm, level, configLine }) =>
    t.firmwareGives(bcm, level, configLine, BOARD_CONFIG_FILE),
  );
  return [...changes, ...showCures(cures, t), ...given].join('\n');
}

/** What holds relays open until the guard drives them. */
export function showCures(cures: readonly Cure[], t: RelayctlTranslations): string[] {
  if (cures.length === 0) return [];
  const configLines = configLinesOf(cures);
  return [
    '',
    t.heldOpen,
    ...cures.map((cure) => `  ${t.hold(cure)}`),
    ...(configLines.length === 0 ? [] : [t.byConfig]),
    ...configLines.map((line) => `  ${line}`),
  ];
}

export function showIdentity(identity: IdentityReply, t: RelayctlTranslations): string {
  const { serverUrl, serverName, webFingerprint } = identity;
  const values = [
    identity.productLogin,
    `${serverUrl} (${serverName})`,
    identity.publicKey,
    identity.fingerprint,
    webFingerprint ? `SHA-256 ${webFingerprint}` : t.noCertificate,
    identity.hasEnrolmentCode ? t.codeWaits : t.noCode,
  ];
  return values.map((value, n) => `${(t.identity[n] ?? '').padEnd(11)}  ${value}`).join('\n');
}

export function showNewPin({ pin }: NewPinReply, { writePin }: RelayctlTranslations): string {
  return [`PIN  ${pin}`, writePin].join('\n');
}

/** Columns of one width each. */
export function table(rows: string[][]): string[] {
  const widths = rows[0]?.map((_cell, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
