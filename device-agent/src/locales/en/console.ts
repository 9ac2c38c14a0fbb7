import type { OutputState } from '@relaygate/shared';
import type { ButtonSettings, ChoiceWords, FormMember, InputMember, Level } from '@relaygate/shared/device';
import type { Finding } from '../../agent/technician/local-messages/doctor';
import { durationWords, waitWords } from '../../runtime/duration';
import { COMMON } from './common';

const CLOCK_NOT_SET = 'while the clock was not set';

const PROVE = {
  /** `at` null: the clock was not set then. */
  isProven: (by: string, at: string | null) => `The wiring is proven, by ${by}, ${at ?? CLOCK_NOT_SET}.`,
  notProven: 'The wiring is not proven.',
  byWhom: 'Who watches the relays (name): ',
  reallyMove: (count: number) => `Whatever hangs on the ${count} relays will move. Begin? (y/n) `,
  willClick: (relay: number, count: number, name: string) => `Relay ${relay} of ${count} (${name}) clicks 3 times.`,
  which: 'Which one clicked? (number on the board, 0 = none, r = again): ',
  /** The answer that makes it click again. */
  again: 'r',
  isOn: (relay: number) => `Relay ${relay} is commanded off. Is it on now, its lamp lit? (y/n) `,
  reallyRecord: (by: string) => `Record what was seen, in the name of ${by}? (y/n) `,
  proven: (by: string, at: string | null) => `The wiring is proven by ${by}, ${at ?? CLOCK_NOT_SET}.`,
  corrected: 'The settings were wrong and are corrected:',
  /** One output's, as a row of a list. */
  correction: (numOutput: number, what: string) => `- ${numOutput}: ${what}`,
  line: (from: number, to: number) => `line ${from} -> ${to}`,
  level: (from: string, to: string) => `active level ${from} -> ${to}`,
  levelsHold: 'The levels are in force.',
  mustRestart: 'The lines will be after: sudo systemctl restart relaygate-guard relaygate-agent',
  onceMore: 'Nothing is proven yet: prove once more.',
};

export const CONSOLE = {
  ...COMMON,
  language: 'en' as const,
  /** Such as `1h 59m`. */
  duration: (ms: number) => durationWords(ms),
  pin: 'PIN: ',
  pinShape: (digits: number) => `The PIN has ${digits} digits.`,
  pinWrong: 'Wrong PIN.',
  pinWait: (waitS: number) => `Too many wrong ones: wait ${waitWords(waitS)}.`,
  noPin: 'There is no PIN yet: type "relayctl identity --new-pin" on this device.',
  hello: 'Ctrl-C: back to the menu. Without a key for 5 minutes the session ends.',
  timedOut: 'Session closed: no key for 5 minutes.',
  newPin: 'Session closed: a new PIN was made.',
  /** For text that was typed while the agent did not read. */
  heldUp: 'The device was held up, and what you typed meanwhile was not read. Type it again.',
  garbled: 'That line was garbled and means nothing. Type it again.',
  more: '-- Enter: more, q: enough -- ',
  menu: {
    status: 'Status',
    command: 'Move an output (test)',
    pulse: 'Pulse duration',
    settings: 'Other settings of an output',
    history: 'Last changes',
    identity: 'Identity and link',
    page: "Technician's web page",
    locks: 'Lock or unlock an output',
    log: 'Log',
    doctor: 'What is wrong with this device',
    prove: 'Prove the wiring',
    /** In the other language, for a reader who does not understand this one. */
    language: 'Français',
    inputs: 'What inputs mean',
    quit: 'Quit',
  },
  choice: 'Choice: ',
  noSuchChoice: 'There is no such choice.',
  yes: ['y', 'yes'],
  no: ['n', 'no'],
  nothingDone: 'Nothing was done.',
  whichOutput: 'Number of the output: ',
  onOrOff: '1: on, 0: off: ',
  reallyPulse: (pulseMs: number, output: string) => `Pulse of ${pulseMs} ms on output ${output}? (y/n) `,
  /** The choices for an output whose pulse runs. */
  ofPulsing: { stop: 'End pulse (a gate that moves goes on)', pulse: 'Pulse once more' },
  pulseEnded: 'The pulse was ended. A gate that moves goes on.',
  noPulse: 'No pulse runs any more.',
  pulseIgnored: 'Ignored: a pulse runs already.',
  reallySwitch: (state: OutputState, output: string) => `Switch output ${output} ${state === 1 ? 'on' : 'off'}? (y/n) `,
  reallyChange: (what: string, from: string, to: string) => `${what}: ${from} -> ${to}? (y/n) `,
  done: 'Done.',
  alreadySo: 'It was so already.',
  saved: (what: string, from: string, to: string) => `Saved. ${what}: ${from} -> ${to}.`,
  nowMs: (valueMs: number, leastMs: number, mostMs: number) => `Now ${valueMs} ms; ${leastMs} to ${mostMs} ms.`,
  noWholeNumber: 'That is no whole number.',
  members: { name: 'Name', mode: 'Mode', pulseMs: 'Pulse duration', powerOn: 'After a power cut' } satisfies Record<
    FormMember<'console'>,
    string
  >,
  /** For members without choices. */
  newValues: { name: 'New name: ', pulseMs: 'New duration in ms: ' } satisfies Record<
    Exclude<FormMember<'console'>, keyof ChoiceWords<'console'>>,
    string
  >,
  choices: {
    mode: { 'on-off': 'on-off', impulse: 'impulse' },
    powerOn: { off: 'off', on: 'on', restore: 'as before' },
  } satisfies ChoiceWords<'console'>,
  /** Also for the page's form. */
  inputMembers: {
    kind: 'Kind',
    name: 'Name',
    activeLevel: 'Level while closed or pressed',
    output: 'Number of its output',
    action: 'On a press',
  } satisfies Record<InputMember, string>,
  inputChoices: {
    activeLevel: { low: 'low, a contact to ground', high: 'high' } satisfies Record<Level, string>,
    action: { pulse: 'a pulse', toggle: 'toggle it', hold: 'on while held' } satisfies Record<
      ButtonSettings['action'],
      string
    >,
  },
  noInputs: 'No input has a meaning.',
  inputNumber: 'Number of the input, on the board',
  whichInput: 'Number of the input, on the board: ',
  ofInput: { change: 'Change it', remove: 'It means nothing any more' },
  newValue: 'New (Enter: as it is): ',
  nowIs: (what: string, value: string) => `${what}: now ${value}.`,
  noMeaning: (numInput: number) => `${numInput}  no meaning`,
  reallyInput: (what: string) => `${what}? (y/n) `,
  inputsWait:
    'In force once the relay service is restarted: switch the device off and on, or sudo systemctl restart relaygate-guard. Outputs that are on go off then.',
  states: { on: 'on', off: 'off', unknown: 'unknown' },
  notes: { unproven: 'unproven', asWritten: 'as written', byPolicy: 'by' },
  /** The remaining time of a pulse, such as `420 ms`. */
  pulseLeft: (left: string) => `${left} left`,
  lockedBy: (left: string, by: string) => `locked for ${left} by ${by}`,
  lockUnsaved: 'in force, not saved: a restart ends it',
  inputs: 'Inputs:',
  lastCommands: 'Last commands:',
  toggle: 'toggle',
  /** `by`: null: nobody knows. */
  agoBy: (ago: string, by: string | null) => `${ago} ago${by === null ? '' : `, by ${by}`}`,
  ofLocked: { unlock: 'Unlock', lock: 'Lock for another time' },
  lockTime: (least: string, most: string) => `For how long (such as 45m, 2h or 1d; ${least} to ${most}): `,
  noDuration: 'A lock has no such duration.',
  reallyLock: (output: string, forHowLong: string) => `Lock output ${output} for ${forHowLong}? (y/n) `,
  reallyUnlock: (output: string) => `Unlock output ${output}? (y/n) `,
  locked: (forHowLong: string) => `Locked for ${forHowLong}: no command of the server moves it.`,
  lockNotSaved: (problem: string) => `It is in force, and NOT SAVED (${problem}): a restart ends it.`,
  labels: {
    product: 'Product',
    server: 'Server',
    link: 'Link',
    relays: 'Relays',
    key: 'Fingerprint',
    enrolment: 'Enrolment',
    page: 'Web page',
    certificate: 'Certificate',
    wifi: 'Wi-Fi',
    passphrase: 'Passphrase',
  },
  linkUp: 'up',
  linkDown: (problem: string) => `down (${problem})`,
  guardRuns: 'the relay service answers',
  guardAway: (problem: string) => `the relay service is away (${problem})`,
  codeWaits: 'a code waits for its first use',
  noCode: 'no code waits',
  noCertificate: 'none yet, the page was never on',
  pageOff: 'off, no port is open',
  pageOn: (leftS: number) => `on for ${waitWords(leftS)}`,
  pageHint: "The browser warns once: compare the certificate's fingerprint, then go on.",
  reallyPageOn: (leftS: number) => `Switch the page on for ${waitWords(leftS)}? (y/n) `,
  reallyPageOff: 'Switch the page off? (y/n) ',
  withWifi: 'With a Wi-Fi of this device? (y/n) ',
  faults: 'Faults:',
  eventKind: (kind: string) => kind,
  noEvents: 'Nothing has happened since the log began.',
  prove: PROVE,
  boardWords: { at: 'at', lines: 'lines', addresses: 'addresses' },
  doctorLooks: 'The doctor looks; that takes up to half a minute.',
  verdicts: { ok: 'ok', warn: 'look', fail: 'WRONG' } satisfies Record<Finding['verdict'], string>,
  /** Before what follows from a finding, and before what to do. */
  so: 'so:',
  cure: 'do:',
  tally: (ok: number, warn: number, fail: number) => `${ok} well, ${warn} to look at, ${fail} wrong`,
  afterBoot: (seconds: number) => `${seconds} s after a boot`,
  /** How long a lock holds. */
  lockedFor: (forHowLong: string) => `for ${forHowLong}`,
};
