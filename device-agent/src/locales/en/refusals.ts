import { DEVICE_REASONS } from '@relaygate/shared';
import { allowedValue } from '../../files/allowed-values';
import type { Cause } from '../../runtime/cause';
import { durationWords } from '../../runtime/duration';
import { causeIn } from '../sentence';
import { BOARD_REFUSALS } from './board-refusals';
import { CAUSES } from './causes';
import { FAULTS } from './faults';
import { GUARD_REFUSALS } from './guard-refusals';
import { SETTINGS_REFUSALS } from './settings-refusals';

const STATUS = 'see "relayctl status"';
const NOTHING_MOVED = 'nothing was moved';
const SETTINGS_LEFT = {
  unchanged: 'nothing was changed',
  'stands-unused': 'the change is not in force, but stands in that file and may be at the next start',
  'stands-for-now': 'the board stands there, but may be gone after a power cut',
} as const;
const RESET_SO = {
  'no-lock': 'nothing can be locked any more',
  'no-page': 'the page stays off until the device is set up anew',
  'no-reset': 'whoever asked for it is told what became of it',
} as const;

type OfFile = { path: string; problem: string };
/** What is left of a change that the disk did not take. */
export type SettingsLeft = keyof typeof SETTINGS_LEFT;

export const REFUSALS = {
  ...GUARD_REFUSALS,

  'not-an-impulse-output':
    'Output {numOutput} is on-off and has no pulses; use "set {numOutput} on" and "off", or "output {numOutput} --mode impulse".',
  'state-not-saved':
    'Output {numOutput} was switched, but that could not be saved: a power cut may bring the old state back.',
  'feedback-missing':
    'Output {numOutput} is as commanded as far as the guard knows, but input {input} does not show it.',
  'feedback-stuck': 'Output {numOutput} was switched, but input {input} had shown that before: it proves nothing.',
  'ended-by-policy': 'Output {numOutput} was switched, and a policy ended that before input {input} showed it.',
  'ended-by-stop': 'Output {numOutput} pulsed, and somebody on site ended that before input {input} showed it.',
  'switched-too-soon': `Output {numOutput} was switched less than {intervalMs} ms ago; ${NOTHING_MOVED}.`,
  'policy-off': 'A policy of output {numOutput} was about to switch it off first.',
  overtaken: 'Another command that switches output {numOutput} off came before this one had moved it.',
  stopped: 'Somebody on site ended the pulse of output {numOutput}, and what waited behind it.',
  'other-pulse':
    'The pulse of output {numOutput} that runs now began after you looked. Nothing was moved; look again, and end that one.',
  interlocked: `Another output of interlock "{interlock}" pulses, or may be on; ${NOTHING_MOVED}.`,
  'interlock-delay': `The interlock's delay would end after the command's deadline; ${NOTHING_MOVED}. Try again.`,
  'interlock-unread': `The relay board does not answer, so nobody knows whether another output of interlock "{interlock}" is off; ${NOTHING_MOVED}.`,
  'interlock-broken':
    'Another output of interlock "{interlock}" went off, but output {numOutput} did not go on; look at "relayctl status".',
  'board-away': `The relay board is away; ${STATUS}. Nothing was moved.`,
  'board-failed': `The relay board did not do it; ${STATUS}.`,
  expired: `Output {numOutput} was busy for too long; ${NOTHING_MOVED}. Try again.`,
  'refused-by-guard': ({ reason }: { reason: string | null }) =>
    `The guard refused ${reason === null ? 'and gave no reason' : `(${reason}${meaningOf(reason)})`}; ${STATUS}.`,
  'unproven-by-guard': ({ numOutput, reason }: { numOutput: number; reason: string | null }) =>
    `The guard did it as far as it knows${reason === null ? ', and did not say what is missing to be sure' : ` (${reason}${meaningOf(reason)})`}; look at output ${numOutput} before you try again.`,

  'answers-missing': 'there are {relays} relays and {answers} answers',
  'no-relay-clicked': "no relay clicked for output {numOutput}: look at its wire and at the board's supply",
  'no-such-relay': "relay {relay} is none of this board's {count}",
  'relay-twice': 'relay {relay} clicked for output {first} and for output {second}',
  'lines-fixed': 'relay {relay} clicked for output {numOutput}, and this kind of board has no lines to exchange',

  'asker-gone': 'Whoever asked for this has gone, so it was not begun.',
  'too-late': 'This came too late and was not begun: nothing was moved or changed. Try again.',
  'turn-too-late': 'Other changes took too long, so this one was not begun. Try again.',
  'guard-unreachable': 'The guard cannot be reached: {problem}.',
  'guard-silent': 'The guard gave no answer: it may have happened. Look at the output before trying again.',
  'guard-failed':
    'Something unexpected went wrong in the guard, and it may have moved the output: look at it before trying again.',
  'history-unwritten': 'The history cannot be written ({problem}); nothing was changed.',
  'reset-begun': ({ so }: { so: keyof typeof RESET_SO }) => `A factory reset was begun: ${RESET_SO[so]}.`,

  'reset-elsewhere': 'This device is "{own}", and not "{asked}"; nothing was changed.',
  'reset-stuck': 'The board keeps output {outputs} from going off; nothing was wiped.',
  'reset-unwritten': 'The disk does not take it ({problem}); look at "relayctl status" before trying again.',
  'reset-without-guard': 'The guard was lost ({problem}); nothing was wiped. Try again.',
  'reset-not-taken-back':
    'The reset was begun and given up ({problem}), and the disk does not take it back ({why}); this agent ends now, and the next start of relaygate-agent wipes this device.',
  'reset-unfinished':
    'The reset was begun and could not be finished ({problem}); the next start of relaygate-agent does it.',
  'click-runs': 'Another relay is being clicked already; wait for it.',
  'clicks-uncertain': 'The relay has clicked, but is not known to have gone on and off {clicks} times: {why}',
  'guard-gone-between-clicks': 'The guard has gone between two clicks.',
  'nobody-watches': 'Nobody watches any more.',
  'maybe-still-on': 'Output {numOutput} may be on still; look at "relayctl status".',
  'another-is-on': 'Output {numOutput} is on; switch it off first: relays are proven one by one, with all others off.',
  'another-may-be-on':
    'Output {numOutput} may be on: the guard does not know it to be off; "relayctl status" says why. Nothing clicks until it does.',
  'pulse-of-another': 'Output {numOutput} gives a pulse of another command; click it when that is over.',
  'relays-being-proven': 'Relays are being proven; nothing was moved. Try again after the clicks.',
  'click-settings-left':
    'Output {numOutput} has clicked and not got its settings back yet; nothing was moved. "relayctl status" says why.',
  'wiring-changed': 'Board, lines or polarity have changed meanwhile; begin the proof again.',
  'proof-impossible': ({ problems }: { problems: readonly string[] }) =>
    `Nothing was changed, and nothing is proven: ${problems.join('; ')}.`,
  'not-clicked': ({ outputs }: { outputs: readonly number[] }) =>
    `${outputs.length === 1 ? `Output ${outputs[0]} has` : `Outputs ${outputs.join(', ')} have`} not clicked since the agent started or the wiring changed; nothing is proven. Begin the proof again.`,
  'proof-unsaved': ({ problem, stands }: { problem: string; stands: boolean }) =>
    `The proof cannot be saved (${problem}); ${stands ? 'it stands, but may be gone after a power cut' : 'nothing was changed'}.`,

  'value-not-allowed': ({ flag, member, value }: { flag: string; member: string; value: string }) =>
    `${flag} is ${allowedValue(member)}, not ${value}.`,
  'input-without-meaning': 'Input {numInput} has no meaning that could be removed; nothing was changed.',
  'inputs-lost': ({ inputs }: { inputs: readonly number[] }) =>
    `${inputs.length === 1 ? `Input ${inputs[0]} is` : `Inputs ${inputs.join(', ')} are`} in use, and on that board would be none or another one; nothing was changed. Take the use away first: "relayctl input remove", "relayctl output N --feedback-input none", or web.buttonInput of settings.json.`,
  'input-no-button': '{flag} is for buttons, and input {numInput} is none; nothing was changed.',
  'input-incomplete': 'Input {numInput} needs {members} too; nothing was changed.',
  'input-impossible': 'Input {numInput} cannot be set up so: {problem}.',
  'name-blank': 'name must show something, not blanks alone.',
  'name-deceives':
    'name must be without control characters, invisible signs and signs that turn the writing around: it would read as another one.',
  'no-such-setup': 'No output can be set up so: {problem}.',
  'no-such-setup-yet': 'No output can be set up so before a restart: {problem}.',
  'no-such-input-setup': 'No input can be set up so: {problem}.',
  'no-such-board': 'This is no board that can be set up: {problem}.',
  'other-board': FAULTS['other-board'],
  'settings-edited':
    '{path} was edited since the agent started; restart guard and agent first, so that nothing is lost.',
  'settings-unwritten': ({ path, problem, left }: OfFile & { left: SettingsLeft }) =>
    `${path} cannot be written (${problem}); ${SETTINGS_LEFT[left]}.`,
  'lock-unsaved': ({
    path,
    problem,
    numOutput,
    why,
    wasLocked,
  }: OfFile & { numOutput: number; why: string; wasLocked: boolean }) =>
    `The guard gave no answer (${why}), and ${path} cannot be written (${problem}); output ${numOutput} ${wasLocked ? 'stays locked as before' : 'is not locked'}.`,
  'unlock-unsaved': ({
    path,
    problem,
    numOutput,
    mayBeUnlocked,
  }: OfFile & { numOutput: number; mayBeUnlocked: boolean }) =>
    `${path} cannot be written (${problem}): output ${numOutput} stays locked, ${mayBeUnlocked ? 'for now; after a restart it may be unlocked' : 'also after a restart'}.`,
  'not-in-force': ({ why, isSaved }: { why: string; isSaved: boolean }) =>
    `${isSaved ? 'It is saved, and' : 'It is'} not in force yet: the guard gave no answer (${why}). Look at "relayctl status".`,

  'page-time': ({ leastMs, mostMs, askedMs }: { leastMs: number; mostMs: number; askedMs: number }) =>
    `The page is on for ${durationWords(leastMs)} to ${durationWords(mostMs)}, not ${durationWords(askedMs)}.`,
  'agent-ending': 'The agent is ending.',
  'certificate-unsaved': "The page's certificate cannot be saved: {problem}.",
  'port-taken': 'Port {port} is taken by another program; choose another web.port in settings.json.',
  'page-cannot-listen': 'The page cannot listen: {problem}.',
  'wifi-unmarked': 'No Wi-Fi was begun, for {path} cannot be written: {problem}.',
  'no-wifi': 'This device has no Wi-Fi that NetworkManager knows.',
  'passphrase-stuck': "The Wi-Fi's passphrase cannot be handed over: {problem}.",
  'no-network-manager': 'There is no Wi-Fi of this device: NetworkManager (nmcli) is not installed.',
  'wifi-silent': 'There is no Wi-Fi of this device: nmcli has not answered within {seconds} s.',
  'wifi-failed': 'There is no Wi-Fi of this device: {problem}.',
  'wifi-failed-silently': 'There is no Wi-Fi of this device: nmcli failed without a word.',

  'doctor-looks': 'The doctor is looking already; wait for it.',
  'doctor-too-slow': 'The doctor has not ended within {seconds} s.',
  'doctor-not-run': 'The doctor could not be run; see the log.',
} as const;

/** One refusal may be the cause of another. */
const ALL_CAUSES = { ...CAUSES, ...BOARD_REFUSALS, ...SETTINGS_REFUSALS, ...REFUSALS };

export function anyCauseText(cause: Cause): string {
  return causeIn(ALL_CAUSES, cause);
}

/** A refusal without a sentence of its own is explained in the link protocol's words. */
function meaningOf(reason: string): string {
  const known = Object.entries(DEVICE_REASONS).find(([word]) => word === reason);
  return known ? `: ${known[1].meaning}` : '';
}
