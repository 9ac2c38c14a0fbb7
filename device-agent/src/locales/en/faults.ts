import type { Quarantined } from '../../files/quarantine';
import type { FaultWords } from '../faults';
import { causeText } from './causes';

export const FAULTS: FaultWords = {
  'output-stuck': ({ numOutput, name, problem }) =>
    `Output ${numOutput} (${name}) cannot be switched off (${causeText(problem)}); it is tried again.`,
  'output-not-asked': ({ numOutput, name, problem }) =>
    `Output ${numOutput} (${name}) could not be asked how it is (${causeText(problem)}).`,
  'output-unproven': ({ numOutput, name }) =>
    `Output ${numOutput} (${name}) was switched, and its feedback input does not show it.`,
  'interlock-alone': ({ numOutput, name, interlock }) =>
    `Output ${numOutput} (${name}) is alone in its interlock "${interlock}".`,
  'interlock-unread': ({ numOutput, name, interlock }) =>
    `Output ${numOutput} (${name}) cannot be read back, so no other output of its interlock "${interlock}" goes on: use a board that answers, or take the interlock away.`,
  'board-away': ({ problem }) => `The relay board is away: ${causeText(problem)}.`,
  'state-unwritten': ({ problem }) => `state.json cannot be written: ${causeText(problem)}.`,
  'journal-unwritten': ({ problem }) =>
    `the journal cannot be written, so no command is executed: ${causeText(problem)}.`,
  'off-orders-unwritten': ({ problem }) =>
    `The orders that switch everything off without the guard cannot be written: ${causeText(problem)}. If the guard is killed now, relays may stay on until it is back.`,
  'file-corrupt': ({ file, ...aside }) =>
    `${file === 'journal' ? 'the journal' : file} was corrupt; ${quarantineText(aside)}.`,
  'file-unreadable': ({ file, problem, ...aside }) =>
    `${file === 'journal' ? 'the journal' : file} could not be read (${causeText(problem)}); ${quarantineText(aside)}.`,
  'guard-away': ({ problem }) => `The guard is away: ${causeText(problem)}.`,
  'not-linked': ({ problem }) => `Not linked: ${causeText(problem)}.`,
  'epoch-behind': ({ epoch, guardEpoch }) =>
    `The server's link epoch ${epoch} is behind ${guardEpoch}: no remote command until a reboot or a new enrolment code.`,
  'key-elsewhere': ({ times }) =>
    `Another device with this device's key has taken over the link ${times === 1 ? 'once' : `${times} times`}: is the card a copy?`,
  'clock-not-set': () =>
    'No time server has set the clock since the start, so times are counted from there: let UDP port 123 out, or name one in timeServers of relaygate-site.json.',
  'other-board': () =>
    'settings.json names another board than the one in use: restart relaygate-guard, then relaygate-agent.',
  'output-count': ({ own, guards }) =>
    `settings.json has ${own} outputs, the guard runs with ${guards}: restart relaygate-guard.`,
  'output-not-in-force': ({ numOutput, why }) =>
    `The settings of output ${numOutput} are not in force yet: ${causeText(why.text)}`,
  'locks-corrupt': ({ path, ...aside }) =>
    `${path} is corrupt (${quarantineText(aside)}): all outputs are locked; see "relayctl unlock".`,
  'locks-unreadable': ({ path, problem, ...aside }) =>
    `${path} cannot be read: ${causeText(problem)} (${quarantineText(aside)}): all outputs are locked; see "relayctl unlock".`,
  'locks-unwritten': ({ path, problem }) =>
    `${path} cannot be written (${causeText(problem)}): other locks may hold after a restart.`,
  'code-useless': ({ path }) => `${path} holds no enrolment code, or a mistyped one; it is not sent.`,
  'code-unreadable': ({ path, problem }) =>
    `${path} cannot be read (${causeText(problem)}); no enrolment code is sent.`,
  'not-proven': () => 'The wiring is not proven, so remote commands are refused: run "relayctl prove --by NAME".',
  'proof-unreadable': ({ path, problem }) => `${path} cannot be read (${causeText(problem)}).`,
  'history-corrupt': ({ path, ...aside }) => `${path} is corrupt: ${quarantineText(aside)}; the history begins anew.`,
  'history-unreadable': ({ path, problem, ...aside }) =>
    `${path} cannot be read (${causeText(problem)}): ${quarantineText(aside)}; the history begins anew.`,
  'history-unwritten': ({ problem }) =>
    `The history cannot be written, so nothing can be changed: ${causeText(problem)}.`,
  'hotspot-stays': ({ why }) =>
    `The page's Wi-Fi could not be ended, which is tried again every minute: ${causeText(why.text)}`,
  'console-away': ({ port, problem }) => `The serial console at ${port} is away: ${causeText(problem)}.`,
};

export function quarantineText({ keptAs, keepProblem }: Quarantined): string {
  return keptAs === '' ? `it could not be kept aside (${causeText(keepProblem)})` : `kept aside as ${keptAs}`;
}
