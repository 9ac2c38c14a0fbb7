/** What the console says. A sentence that lacks in one of its languages does not compile. */
import type { OutputState } from '@relaygate/shared';
import type { ConsoleLanguage, OutputSettings } from '@relaygate/shared/device';
import type { HistoryKind } from '../agent/history/kinds';
import type { Finding } from '../agent/technician/local-messages/doctor';
import type { CommonWords } from './common';

export interface Words extends CommonWords {
  /** Each of them has a word. */
  kinds: CommonWords['kinds'] & Record<HistoryKind, string>;
  language: ConsoleLanguage;
  pin: string;
  pinShape(digits: number): string;
  pinWrong: string;
  pinWait(waitS: number): string;
  noPin: string;
  hello: string;
  timedOut: string;
  newPin: string;
  garbled: string;
  /** Typed while the agent did not read. */
  heldUp: string;
  more: string;
  menu: {
    status: string;
    command: string;
    pulse: string;
    settings: string;
    history: string;
    identity: string;
    page: string;
    locks: string;
    log: string;
    doctor: string;
    prove: string;
    /** In the other language, for whoever does not understand this one. */
    language: string;
    quit: string;
  };
  choice: string;
  noSuchChoice: string;
  yes: readonly string[];
  no: readonly string[];
  nothingDone: string;
  whichOutput: string;
  onOrOff: string;
  reallyPulse(pulseMs: number, output: string): string;
  /** Of an output whose pulse runs. */
  ofPulsing: { stop: string; pulse: string };
  pulseEnded: string;
  noPulse: string;
  pulseIgnored: string;
  reallySwitch(state: OutputState, output: string): string;
  reallyChange(what: string, from: string, to: string): string;
  done: string;
  alreadySo: string;
  saved(what: string, from: string, to: string): string;
  pulseNow(pulseMs: number, leastMs: number, mostMs: number): string;
  newPulse: string;
  noWholeNumber: string;
  members: { name: string; mode: string; pulseMs: string; powerOn: string };
  newName: string;
  modes: Record<OutputSettings['mode'], string>;
  powerOn: Record<OutputSettings['powerOn'], string>;
  states: { on: string; off: string; unknown: string };
  notes: { unproven: string; asWritten: string; byPolicy: string };
  /** Of a pulse that runs, such as `420 ms`. */
  pulseLeft(left: string): string;
  /** Such as `1h 59m`. */
  lockedBy(left: string, by: string): string;
  lockUnsaved: string;
  lastCommands: string;
  toggle: string;
  /** `by`: null: nobody knows. */
  agoBy(ago: string, by: string | null): string;
  ofLocked: { unlock: string; lock: string };
  lockTime(least: string, most: string): string;
  noDuration: string;
  reallyLock(output: string, forHowLong: string): string;
  reallyUnlock(output: string): string;
  locked(forHowLong: string): string;
  lockNotSaved(problem: string): string;
  labels: {
    product: string;
    server: string;
    link: string;
    relays: string;
    key: string;
    enrolment: string;
    page: string;
    certificate: string;
    wifi: string;
    passphrase: string;
  };
  linkUp: string;
  linkDown(problem: string): string;
  guardRuns: string;
  guardAway(problem: string): string;
  codeWaits: string;
  noCode: string;
  noCertificate: string;
  pageOff: string;
  pageOn(leftS: number): string;
  pageHint: string;
  reallyPageOn(leftS: number): string;
  reallyPageOff: string;
  withWifi: string;
  faults: string;
  prove: ProveWords;
  doctorLooks: string;
  verdicts: Record<Finding['verdict'], string>;
  /** Before what a finding leads to, and before what to do. */
  so: string;
  cure: string;
  tally(ok: number, warn: number, fail: number): string;
  noEvents: string;
  afterBoot(seconds: number): string;
  /** Of a lock, such as `2h`. */
  lockedFor(duration: string): string;
}

/** What is said while somebody watches the relays. */
export interface ProveWords {
  /** `at` null: the clock was not set then. */
  isProven(by: string, at: string | null): string;
  notProven: string;
  byWhom: string;
  reallyMove(count: number): string;
  willClick(relay: number, count: number, name: string): string;
  which: string;
  /** Has it clicked again. */
  again: string;
  isOn(relay: number): string;
  reallyRecord(by: string): string;
  proven(by: string, at: string | null): string;
  corrected: string;
  /** One output's, as a row of a list. */
  correction(numOutput: number, what: string): string;
  line(from: number, to: number): string;
  level(from: string, to: string): string;
  levelsHold: string;
  mustRestart: string;
  onceMore: string;
}

/** A time to wait. */
export function duration(seconds: number): string {
  return seconds <= 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
