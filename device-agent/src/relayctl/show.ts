/** The agent's answers as text for a terminal. */
import type { IdentityReply } from '../agent/technician/local-messages/device';
import type { NewPinReply } from '../agent/technician/local-messages/history';
import type { CommandReply, OutputReply } from '../agent/technician/local-messages/outputs';
import { BOARD_CONFIG_FILE, type FirmwareClosing } from '../provisioning/boards/boot-config';
import { type Cure, configLinesOf, holdWords } from '../provisioning/boards/cures';

export function showCommand({ numOutput, outcome, state }: CommandReply): string {
  const now = state === undefined ? '' : `, now ${state === 1 ? 'on' : 'off'}`;
  switch (outcome) {
    case 'executed':
      return `output ${numOutput}: done${now}`;
    case 'already-set':
      return `output ${numOutput}: already so${now}`;
    case 'ignored':
      return `output ${numOutput}: ignored, a pulse runs already${now}`;
    default:
      return outcome satisfies never;
  }
}

/** "Ended" is no promise about what the relay has set going. */
export function showStop({ numOutput, outcome, state }: CommandReply): string {
  const now = state === undefined ? '' : `, now ${state === 1 ? 'on' : 'off'}`;
  const what = outcome === 'executed' ? `pulse ended${now}; a gate that moves goes on` : `no pulse runs${now}`;
  return `output ${numOutput}: ${what}`;
}

/** A line for each member that was asked to change; all settings where none was. */
/** What `output --json` prints. */
export interface ShownOutput extends OutputReply {
  /** What the firmware does to the relay at power-on, where its polarity has changed. */
  closings: FirmwareClosing[];
}

export function showOutput(
  { numOutput, before, after, cures, closings }: ShownOutput,
  asked: readonly string[],
): string {
  const was = new Map(Object.entries(before));
  const members = Object.entries(after);
  if (asked.length === 0)
    return [`output ${numOutput}`, ...members.map(([member, now]) => `  ${member}: ${now ?? 'none'}`)].join('\n');
  const changes = members
    .filter(([member, now]) => asked.includes(member) || was.get(member) !== now)
    .map(([member, now]) => {
      const before = was.get(member);
      const what = before === now ? `is ${now ?? 'none'} already` : `${before ?? 'none'} -> ${now ?? 'none'}`;
      return `output ${numOutput}: ${member} ${what}`;
    });
  return [...changes, ...showCures(cures), ...closings.map(closingWords)].join('\n');
}

function closingWords({ bcm, level, configLine }: FirmwareClosing): string {
  return (
    `At each power-on the firmware gives BCM ${bcm} a ${level} level, which closes its relay: take ${configLine} out of ` +
    `${BOARD_CONFIG_FILE} on the boot partition (/boot/firmware).`
  );
}

/** What holds relays open until the guard drives them. */
export function showCures(cures: readonly Cure[]): string[] {
  if (cures.length === 0) return [];
  const configLines = configLinesOf(cures);
  return [
    '',
    'Relays that may close at power-on are held open by a resistor each, from the first moment:',
    ...cures.map((cure) => `  ${holdWords(cure)}`),
    ...(configLines.length === 0 ? [] : ['and, some seconds later, by these lines in config.txt:']),
    ...configLines.map((line) => `  ${line}`),
  ];
}

export function showIdentity(identity: IdentityReply): string {
  return [
    `product      ${identity.productLogin}`,
    `server       ${identity.serverUrl} (${identity.serverName})`,
    `public key   ${identity.publicKey}`,
    `fingerprint  ${identity.fingerprint}`,
    `page         ${identity.webFingerprint ? `SHA-256 ${identity.webFingerprint}` : 'has no certificate before it is first switched on'}`,
    `enrolment    ${identity.hasEnrolmentCode ? 'a code waits for its first use' : 'no code waits'}`,
  ].join('\n');
}

export function showNewPin({ pin }: NewPinReply): string {
  return [`PIN  ${pin}`, 'Write it down: it is not shown again. An older PIN opens nothing any more.'].join('\n');
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
