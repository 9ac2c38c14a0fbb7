/** The agent's answers as text for a terminal. */
import type { CommandReply, DeviceStatus, IdentityReply, OutputReply } from '../agent/local-messages';

export function showStatus(status: DeviceStatus): string {
  const { link, guard, outputs, faults } = status;
  const linkWords = link.isUp ? `up (epoch ${link.epoch})` : `down: ${link.problem}`;
  const rows = outputs.map(({ numOutput, name, mode, state, pulseMs, activeLevel, powerOn }) => [
    String(numOutput),
    state === null ? 'unknown' : state === 1 ? 'on' : 'off',
    mode,
    mode === 'impulse' ? `${pulseMs} ms` : '-',
    activeLevel,
    mode === 'impulse' ? 'off' : powerOn,
    name,
  ]);
  return [
    `product  ${status.productLogin}`,
    `link     ${link.serverUrl} ${linkWords}`,
    `guard    ${guard.isReachable ? 'running' : `away: ${guard.problem}`}`,
    '',
    ...table([['output', 'state', 'mode', 'pulse', 'active', 'power-on', 'name'], ...rows]),
    ...(faults.length > 0 ? ['', 'faults:', ...faults.map((fault) => `  ${fault}`)] : []),
  ].join('\n');
}

export function showCommand({ numOutput, outcome, state }: CommandReply): string {
  const now = state === undefined ? '' : `, now ${state === 1 ? 'on' : 'off'}`;
  switch (outcome) {
    case 'executed':
      return `output ${numOutput}: done${now}`;
    case 'already-set':
      return `output ${numOutput}: already so${now}`;
    default:
      return outcome satisfies never;
  }
}

export function showOutput({ numOutput, before, after }: OutputReply): string {
  const members = ['name', 'mode', 'pulseMs', 'activeLevel', 'powerOn'] as const;
  const lines = members.map((member) => {
    const isChanged = before[member] !== after[member];
    return isChanged ? `  ${member}: ${before[member]} -> ${after[member]}` : `  ${member}: ${after[member]}`;
  });
  return [`output ${numOutput}`, ...lines].join('\n');
}

export function showIdentity(identity: IdentityReply): string {
  return [
    `product      ${identity.productLogin}`,
    `server       ${identity.serverUrl} (${identity.serverName})`,
    `public key   ${identity.publicKey}`,
    `fingerprint  ${identity.fingerprint}`,
    `enrolment    ${identity.hasEnrolmentCode ? 'a code waits for its first use' : 'no code waits'}`,
  ].join('\n');
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
