import { GUARD_FILE_FAULTS, type Quarantine, quarantineText } from './guard-faults';
import { LINE_FAULTS } from './line-faults';

/** The sentence for each fault. */
export const FAULTS = {
  ...LINE_FAULTS,
  ...GUARD_FILE_FAULTS,
  'guard-away': 'The guard is away: {problem}.',
  'not-linked': 'Not linked: {problem}.',
  'epoch-behind':
    "The server's link epoch {epoch} is behind {guardEpoch}: no remote command until a reboot or a new enrolment code.",
  'key-elsewhere': ({ times }: { times: number }) =>
    `Another device with this device's key has taken over the link ${times === 1 ? 'once' : `${times} times`}: is the card a copy?`,
  'clock-not-set':
    'No time server has set the clock since the start, so times are counted from there: let UDP port 123 out, or name one in timeServers of relaygate-site.json.',
  'other-board':
    'settings.json names another board than the one in use: restart relaygate-guard, then relaygate-agent.',
  'output-count': 'settings.json has {own} outputs, the guard runs with {guards}: restart relaygate-guard.',
  'inputs-not-in-force': 'settings.json gives inputs another meaning than the guard goes by: restart relaygate-guard.',
  'output-not-in-force': 'The settings of output {numOutput} are not in force yet: {why}',
  'locks-corrupt': ({ path, ...aside }: { path: string } & Quarantine) =>
    `${path} is corrupt (${quarantineText(aside)}): all outputs are locked; see "relayctl unlock".`,
  'locks-unreadable': ({ path, problem, ...aside }: { path: string; problem: string } & Quarantine) =>
    `${path} cannot be read: ${problem} (${quarantineText(aside)}): all outputs are locked; see "relayctl unlock".`,
  'locks-unwritten': '{path} cannot be written ({problem}): other locks may hold after a restart.',
  'code-useless': '{path} holds no enrolment code, or a mistyped one; it is not sent.',
  'code-unreadable': '{path} cannot be read ({problem}); no enrolment code is sent.',
  'not-proven': 'The wiring is not proven, so remote commands are refused: run "relayctl prove --by NAME".',
  'proof-unreadable': '{path} cannot be read ({problem}).',
  'history-corrupt': ({ path, ...aside }: { path: string } & Quarantine) =>
    `${path} is corrupt: ${quarantineText(aside)}; the history begins anew.`,
  'history-unreadable': ({ path, problem, ...aside }: { path: string; problem: string } & Quarantine) =>
    `${path} cannot be read (${problem}): ${quarantineText(aside)}; the history begins anew.`,
  'history-unwritten': 'The history cannot be written, so nothing can be changed: {problem}.',
  'hotspot-stays': "The page's Wi-Fi could not be ended, which is tried again every minute: {why}",
  'console-away': 'The serial console at {port} is away: {problem}.',
} as const;
