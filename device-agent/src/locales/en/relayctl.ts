/** What relayctl says, with all that the console says. Its help and usage errors are English in every language (DECISIONS.md). */
import type { BoardProfile } from '@relaygate/shared/device';
import { type Cure, cureWords, holdWords, unknownChipWords } from '../../provisioning/boards/cures';
import { causeText } from './causes';
import { CONSOLE } from './console';

type ModbusProfile = Extract<BoardProfile, { kind: 'modbus' }>;
/** What a board profile says to people. */
export type ProfileText = Pick<BoardProfile, 'title' | 'source' | 'notes'>;

/** The profiles' own texts are English. */
const PROFILES: Readonly<Record<string, ProfileText>> = {};
const RESTART = '  sudo systemctl restart relaygate-guard relaygate-agent';

export const RELAYCTL = {
  ...CONSOLE,
  /** For programs' words, which English shows as they are: outcomes, reasons, kinds of the history, members of settings. */
  outcome: (code: string) => code,
  reason: (code: string) => code,
  kind: (code: string) => code,
  member: (name: string) => name,
  /** Why something failed, within a sentence. */
  causeText,

  // The way to the agent.
  unreachable: (socket: string, why: string) => `The agent cannot be reached (${socket}): ${why}.`,
  notRunning: (socket: string) =>
    `The agent does not run (${socket}): start relaygate-agent, which needs a settings.json, or give its --run.`,
  notForUser: (socket: string) =>
    `The agent's socket ${socket} is not for this user: use sudo, or join the group relaygate-tech.`,
  longSocket: (most: number, socket: string) => `The socket path is over ${most} bytes: ${socket}.`,
  interrupted: 'it was interrupted',
  hungUp: 'it hung up',
  noAnswer: (why: string) => `The agent gave no answer: ${why}.`,
  mayHaveHappened: (why: string) =>
    `${why} It may have happened: look at the output ("relayctl status") before trying again.`,
  unprinted: (why: string) => `${why} What was asked for may have happened.`,

  // Questions.
  nobodyToAsk: (what: string) => `Nobody can be asked without a terminal: --yes does it. ${what}`,
  typeYes: { question: 'Type "yes" to go on: ', answer: 'yes' },
  nothingChanged: 'Nothing was changed.',

  // Outputs.
  output: (numOutput: number, what: string) => `output ${numOutput}: ${what}`,
  outcomes: { executed: 'done', 'already-set': 'already so', ignored: 'ignored, a pulse runs already' },
  nowSo: (state: string) => `, now ${state}`,
  pulseEnded: (now: string) => `pulse ended${now}; a gate that moves goes on`,
  noPulse: (now: string) => `no pulse runs${now}`,
  settingsOf: (numOutput: number) => `output ${numOutput}`,
  isAlready: (member: string, value: string) => `${member} is ${value} already`,
  locked: (forHowLong: string) => `locked for ${forHowLong}; no command of the server moves it`,
  lockUnsaved: (why: string) =>
    `NOT SAVED (${why}): it is in force, and ends if the agent or the device restarts before the card takes it`,
  unlocked: (wasLocked: boolean): string => (wasLocked ? 'unlocked' : 'was not locked'),

  // Status.
  status: { product: 'product', link: 'link', guard: 'guard', page: 'page', locked: 'locked', runs: 'running' },
  columns: ['output', 'state', 'mode', 'pulse', 'name', 'policies'],
  inputColumns: ['input', 'state', 'kind', 'name'],
  linkUp: (epoch: number | null) => `up (epoch ${epoch})`,
  linkDown: (why: string | null) => `down: ${why}`,
  guardAway: (why: string | null) => `away: ${why}`,
  pageOn: (left: string) => `on for ${left}`,
  lastCommands: 'last commands',
  faults: 'faults',
  faultsIn: (count: number) => `faults: ${count}, all of them with --json`,
  lockOf: (numOutput: number, left: string, isUnsaved: boolean, by: string) =>
    `output ${numOutput} for ${left}${isUnsaved ? ' (not saved)' : ''} by ${by}`,
  ofBoard: '(by the board)',
  notes: { unproven: 'unproven', asWritten: 'as written', by: 'by', locked: 'locked' },
  ago: (time: string) => `${time} ago`,
  by: (name: string) => `by ${name}`,
  withoutLink: 'off without link',
  withoutAgent: 'off without agent',

  // Inputs.
  input: (numInput: number, what: string) => `input ${numInput}: ${what}`,
  inputMeanings: ['input', 'kind', 'name', 'settings'],
  noInputs: 'no input has a meaning',
  inputLost: 'gone: the new board does not have it, and nothing used it',
  inputCount: (count: number) => `${count} inputs`,
  meansNothing: 'means nothing any more',
  inputsNotInForce: [
    '',
    'The guard goes by it once it is restarted. Outputs that are on go off then, unless their power-on policy is "restore":',
    '  sudo systemctl restart relaygate-guard',
  ],

  // Identity, page, history and log.
  identity: ['product', 'server', 'public key', 'fingerprint', 'page', 'enrolment'],
  noCertificate: 'has no certificate before it is first switched on',
  newPin:
    'A new PIN replaces that of this device: the old one will open neither the serial console nor the web page any more, and whoever is logged in there will be logged out.',
  writePin: 'Write it down: it is not shown again. An older PIN opens nothing any more.',
  page: { page: 'page', address: 'address', certificate: 'certificate', passphrase: 'passphrase' },
  pageIsOff: 'off; no port is open',
  pageWentOff: (wasOn: boolean): string => (wasOn ? 'The page is off; no port is open.' : 'The page was off.'),
  unreadable: 'cannot be read',
  passphraseShown: 'as it was shown when this Wi-Fi began; for another one: web off, then web on --hotspot',
  notAgain: '(not shown again)',
  noHistory: 'nothing was done at this device yet',
  fault: (text: string) => `fault: ${text}`,
  ofOutput: (kind: string, numOutput: number) => `${kind} output ${numOutput}`,
  pinChange: { made: 'made', removed: 'removed', replaced: 'replaced' },
  entries: (first: number, last: number | undefined) =>
    first === last ? `entry ${first}` : `entries ${first} to ${last}`,
  sinceBoot: (seconds: string) => `${seconds} s since boot`,
  logBegins: 'the log begins; nothing from before is in it',
  countRange: (most: number) => `-n is from 1 to ${most}.`,

  // Proof and factory reset.
  willMove: 'Whatever hangs on these relays will move.',
  notMoved: 'Nothing was moved, and nothing is proven.',
  unanswered: 'Not all questions were answered; nothing is proven.',
  noAnswerFor: (numOutput: number) => `There is no answer for output ${numOutput}.`,
  answersUnread: (why: string) => `The answers cannot be read: ${why}.`,
  notJson: (why: string) => `An answer is not JSON: ${why}.`,
  answerShape: 'An answer is like {"relay":1,"isOn":false}, a line each.',
  provenBy: (by: string, at: string | null) =>
    `proven by ${by} ${at === null ? 'while the clock was not set' : `at ${at}`}`,
  linesAfter: ['The lines are in force once guard and agent are restarted:', RESTART],
  proveAgain: 'Nothing is proven yet: run "relayctl prove" once more.',
  wipes: 'Every output goes off. Keys, PIN, settings, history, locks and the proof of the wiring are gone for good.',
  typeLogin: (login: string) => `Type this device's product login (${login}) to go on: `,
  otherLogin: 'That is not its product login; nothing was changed.',
  wiped: (login: string) => [
    'This device is wiped. Guard and agent have ended; they start again once there are settings.',
    "The server still knows the old key. Its operator takes that back, and gets the new device's code:",
    `  relaygate-server product revoke-device ${login}`,
    'Restart this device before it is set up anew:',
    '  sudo reboot',
  ],

  // The doctor.
  looking: (done: number, all: number) => `looking: ${done} of ${all}`,

  // Boards.
  olderAgent: 'The agent that runs is older than relayctl: restart relaygate-agent.',
  cardUnknown: (why: string) => `${why} So it is not known which profile came with the card of this device.`,
  noBoard: (name: string, names: string) => `There is no board "${name}"; there are ${names}.`,
  cameWithCard: (hidesOwn: boolean) =>
    `came with the card of this device${hidesOwn ? ", and stands for the program's own of this name" : ''}`,
  becomes: (name: string, came: string | null, outputs: number, board: string) =>
    `"${name}"${came === null ? '' : `, which ${came},`} will be the board of this device, with ${outputs} outputs: ${board}. Outputs keep their names and modes, those beyond its relays are removed, and the wiring is to be proven anew. Nothing moves, and nothing is in force before guard and agent are restarted.`,
  mayClose: (relays: string, name: string, cures: readonly Cure[]) =>
    `At power-on ${relays} of "${name}" may close before the guard runs. ${cureWords(cures)}; then, or if nobody is harmed, use --accept-boot-level.`,
  firmwareCloses: (relays: string, name: string, lines: string, file: string) =>
    `At each power-on the firmware closes ${relays} of "${name}" until the guard runs. Take ${lines} out of ${file} on the boot partition (/boot/firmware), which is of another board; then, or if nobody is harmed, use --accept-boot-level.`,
  firmwareGives: (bcm: number, level: string, line: string, file: string) =>
    `At each power-on the firmware gives BCM ${bcm} a ${level} level, which closes its relay: take ${line} out of ${file} on the boot partition (/boot/firmware).`,
  unknownChip: (chip: string) => `Relays may close: ${unknownChipWords(chip)}, use --accept-boot-level.`,
  heldOpen: 'Relays that may close at power-on are held open by a resistor each, from the first moment:',
  hold: (cure: Cure) => holdWords(cure),
  byConfig: 'and, some seconds later, by these lines in config.txt:',
  profiles: PROFILES,
  profileColumns: ['name', 'relays', 'active', 'verified', 'at power-on', 'board'],
  isVerified: (verified: boolean): string => (verified ? 'yes' : 'no'),
  ownPowerOn: 'its own',
  risk: (relays: number) => (relays === 0 ? 'safe' : `${relays} at risk`),
  it: (came: string) => `it ${came}`,
  source: (source: string, verified: boolean) =>
    `source: ${source}${verified ? '' : ' (not verified: try it before you rely on it)'}`,
  onSerialPort: (connection: string) => `on a serial port: ${connection}`,
  closesOn: (level: string) => `a relay closes on a ${level} level`,
  relayColumns: ['output', 'relay', 'BCM', 'pin', 'at power-on'],
  bootLevel: (pull: string | null, isRisky: boolean) =>
    `${pull === null ? "the UART's" : `pulled ${pull}`}: ${isRisky ? 'may close until the guard drives it' : 'open'}`,
  modbus: ({ baud, parity, address }: ModbusProfile) =>
    `Modbus RTU, ${baud} baud, parity ${parity}, address ${address}`,
  timesPulses: 'times pulses by itself',
  transitions: { kept: 'kept', new: 'new', removed: 'removed' },
  inUse: 'this board is in use already',
  board: (board: string) => `board: ${board}`,
  noPulls: [
    '',
    'Through /sys no pull is set: once the guard has ended, a line that becomes an input goes where its own pull takes it.',
    'Put a resistor towards "off" at each line, or leave out --sysfs on a kernel from 5.10 on.',
  ],
  notInForce: ['', 'Nothing is in force yet. With the board connected as "board show" says:', RESTART],
  noAdapter: 'no serial adapter is plugged in',
  portColumns: ['port', 'usb', 'names', 'may be'],
  namesPort: (isLasting: boolean): string =>
    isLasting ? 'the adapter, wherever it is plugged in' : 'the socket it is plugged into',
};
