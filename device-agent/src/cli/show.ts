/** The agent's answers as text for a terminal. */
import type { WholeOutput } from '@relaygate/shared';
import type { DeviceStatus, IdentityReply } from '../agent/local-messages/device';
import type { NewPinReply } from '../agent/local-messages/history';
import type { CommandReply, OutputReply } from '../agent/local-messages/outputs';

export function showStatus(status: DeviceStatus): string {
  const { link, guard, outputs, faults } = status;
  const linkWords = link.isUp ? `up (epoch ${link.epoch})` : `down: ${link.problem}`;
  const rows = outputs.map((output) => [
    String(output.numOutput),
    stateOf(output),
    output.mode,
    output.mode === 'impulse' ? `${output.pulseMs} ms${output.pulseEndedBy ? ' (by the board)' : ''}` : '-',
    output.activeLevel,
    output.mode === 'impulse' ? 'off' : output.powerOn,
    policiesOf(output).join(', ') || '-',
    output.name,
  ]);
  return [
    `product  ${status.productLogin}`,
    `link     ${link.serverUrl} ${linkWords}`,
    `guard    ${guard.isReachable ? 'running' : `away: ${guard.problem}`}`,
    '',
    ...table([['output', 'state', 'mode', 'pulse', 'active', 'power-on', 'policies', 'name'], ...rows]),
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
  const was = new Map(Object.entries(before));
  const lines = Object.entries(after).map(([member, now]) => {
    const then = was.get(member);
    return then === now ? `  ${member}: ${now ?? 'none'}` : `  ${member}: ${then ?? 'none'} -> ${now ?? 'none'}`;
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

export function showNewPin({ pin }: NewPinReply): string {
  return [`PIN  ${pin}`, 'Write it down: it is not shown again. An older PIN opens nothing any more.'].join('\n');
}

function stateOf({ state, unproven, confirmedBy, endedBy }: DeviceStatus['outputs'][number]): string {
  const notes = [
    ...(unproven ? ['unproven'] : []),
    ...(state !== null && confirmedBy ? ['as written'] : []),
    ...(state === 0 && endedBy ? [`by ${endedBy}`] : []),
  ];
  const word = state === null ? 'unknown' : state === 1 ? 'on' : 'off';
  return notes.length === 0 ? word : `${word} (${notes.join(', ')})`;
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

/** Those that do something, in few words. */
function policiesOf(output: WholeOutput): string[] {
  const { mode, maxOnMs, minSwitchIntervalMs, interlock, interlockDelayMs } = output;
  const isOnOff = mode === 'on-off';
  return [
    ...(!isOnOff && output.retrigger === 'extend' ? ['extend'] : []),
    ...(isOnOff && maxOnMs > 0 ? [`max-on ${maxOnMs} ms`] : []),
    ...(minSwitchIntervalMs > 0 ? [`min-switch-interval ${minSwitchIntervalMs} ms`] : []),
    ...(interlock === null ? [] : [`interlock ${interlock} ${interlockDelayMs} ms`]),
    ...(isOnOff && output.onLinkLoss === 'off' ? [`off without link ${output.linkLossMs} ms`] : []),
    ...(isOnOff && output.onAgentLoss === 'off' ? [`off without agent ${output.agentLossMs} ms`] : []),
    ...(output.feedbackInput === null ? [] : [`feedback ${output.feedbackInput} ${output.feedbackMs} ms`]),
  ];
}
