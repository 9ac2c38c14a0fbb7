import type { HistoryChange } from '@relaygate/shared';
import type { BoardSettings, InputSettings } from '@relaygate/shared/device';
import type { LinkProblem } from '../../agent/link/link-problem';
import type { PolicyOff } from '../../guard/protocol';
import { boardText } from '../../provisioning/boards/board-facts';
import { durationWords } from '../../runtime/duration';
import type { Fault } from '../../runtime/fault';
import { faultText } from '../fault-text';
import { linkText } from './link';

/** Why an output went off by itself. */
const POLICIES: Readonly<Record<PolicyOff, string>> = {
  'max-on': 'its maxOnMs is over',
  'link-loss': 'there was no link for linkLossMs',
  'agent-loss': 'the agent was not heard for agentLossMs',
  interlock: 'another output of its interlock is to go on',
};
const WAITS = ', in force once the guard answers';

/** `reason` null: none was given. */
export type Outcome = { outcome: string; reason: string | null };
type OfOutput = { numOutput: number; changes: readonly HistoryChange[]; actor: string };
type Input = InputSettings | null;
type OfInput = { numInput: number; before: Input; after: Input; actor: string; mustRestart: boolean };
type OfLink = { problem: LinkProblem };
/** `isWaiting`: the change is saved, and the guard does not know of it yet. */
type OfLock = { numOutput: number; actor: string; isWaiting: boolean };

/** The events of the log. */
export const EVENTS = {
  'agent-started': 'agent {version} started',
  'guard-reached': 'guard reached',
  'guard-away': 'guard away: {problem}',
  'link-up': 'link up (epoch {epoch})',
  'link-down': ({ problem }: OfLink) => `link down: ${linkText(problem)}`,
  'no-link': ({ problem }: OfLink) => `no link: ${linkText(problem)}`,
  /** `command` as it would be typed; `by` null: nobody knows. */
  command: ({ command, by, ...became }: Outcome & { command: string; by: string | null }) =>
    `${command}${by === null ? '' : ` by ${by}`}: ${outcomeWords(became)}`,
  click: ({ numOutput, by, ...became }: Outcome & { numOutput: number; by: string }) =>
    `click ${numOutput} by ${by}: ${outcomeWords(became)}`,
  'policy-off': ({ numOutput, policy }: { numOutput: number; policy: PolicyOff }) =>
    `output ${numOutput} went off: ${POLICIES[policy]}`,
  'fault-begun': (fault: Required<Fault>) => faultText(fault),
  'fault-over': (fault: Required<Fault>) => `over: ${faultText(fault)}`,
  'output-changed': (of: OfOutput) =>
    `output ${of.numOutput}: ${of.changes.map(({ member, from, to }) => `${member} ${from ?? 'none'} -> ${to ?? 'none'}`).join(', ')} by ${of.actor}`,
  'input-changed': (of: OfInput) =>
    `input ${of.numInput}: ${inputWords(of.before)} -> ${inputWords(of.after)} by ${of.actor}${of.mustRestart ? ', from the next start of the guard on' : ''}`,
  'board-changed': (of: { before: BoardSettings; after: BoardSettings; actor: string; mustRestart: boolean }) =>
    `board ${boardText(of.before)} -> ${boardText(of.after)} by ${of.actor}${of.mustRestart ? ', from the next start on' : ''}`,
  'wiring-proven': 'the wiring is proven by {by}, said {actor}',
  /** `unsaved`: why the lock could not be saved; null: it is. */
  locked: ({ numOutput, forMs, actor, isWaiting, unsaved }: OfLock & { forMs: number; unsaved: string | null }) =>
    `output ${numOutput} locked for ${durationWords(forMs)} by ${actor}${isWaiting ? WAITS : ''}${unsaved === null ? '' : `, in force, not saved: ${unsaved}`}`,
  unlocked: ({ numOutput, actor, isWaiting }: OfLock) =>
    `output ${numOutput} unlocked by ${actor}${isWaiting ? WAITS : ''}`,
  'lock-ended': 'output {numOutput}: its lock has ended',
  'new-pin': 'a new PIN was made by {actor}',
  'page-on': ({ forMs, hasWifi, actor }: { forMs: number; hasWifi: boolean; actor: string }) =>
    `the page is on for ${durationWords(forMs)}${hasWifi ? ', with a Wi-Fi' : ''}, switched on by ${actor}`,
  'page-off': 'the page is off, switched off by {actor}',
  'page-time-over': 'the page is off: its time was over',
  'page-certificate':
    'the page has a new certificate, SHA-256 {fingerprint}, with the key of before; browsers warn once more. The one before, which ends soon: {before}',
  'wrong-pin': 'a wrong PIN was tried from {from}',
  'logged-in': 'logged in: {actor}',
} as const;

/** "executed", "refused (locked)", "ignored". */
export function outcomeWords({ outcome, reason }: Outcome): string {
  return reason === null ? outcome : `${outcome} (${reason})`;
}

function inputWords(input: Input): string {
  if (input === null) return 'nothing';
  const { kind, numInput: _, ...members } = input;
  const words = Object.entries(members).map(([member, value]) => `${member} ${value}`);
  return `${kind} (${words.join(', ')})`;
}
