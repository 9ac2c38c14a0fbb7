/** What the page says, in each of its languages. A word that lacks in one does not compile. */
import type { OutputSettings } from '@relaygate/shared/device';
import { type CommonWords, known } from './common';

type ShownMember = 'name' | 'mode' | 'pulseMs' | 'activeLevel' | 'powerOn';

export interface Words extends CommonWords {
  otherLanguage: string;
  /** Between a number's seconds and tenths. */
  decimal: string;
  units: { days: string; hours: string; minutes: string; seconds: string };

  loading: string;
  unreachable: string;
  unreachableHelp: string;
  tryAgain: string;
  noAnswer: string;
  failed: string;

  login: {
    title: string;
    lead: string;
    pin: string;
    name: string;
    nameHint: string;
    enter: string;
    entering: string;
    wrong: string;
    wait(time: string): string;
    others: string;
    enterIn(time: string): string;
    noPin: string;
    over: string;
    left: string;
  };

  views: { outputs: string; link: string; activity: string; checks: string };
  navigation: string;
  logOut: string;
  closesIn(time: string): string;
  closesSoon(time: string): string;
  closed: string;
  closedHelp: string;
  lost: string;
  lostFor(time: string): string;
  lostHelp: string;
  guardAway: string;
  guardAwayHelp: string;

  output(numOutput: number): string;
  state: { on: string; off: string; unknown: string };
  pulseLeft(time: string): string;
  notes: {
    unproven: string;
    asWritten: string;
    endedByBoard: string;
    endedBy(policy: string): string;
    locked(time: string, by: string): string;
  };
  modes: Record<OutputSettings['mode'], string>;
  mode: string;
  pulse: string;
  range(least: string, most: string): string;
  testPulse: string;
  endPulse: string;
  /** It is no emergency stop. */
  endPulseMeans: string;
  switchOn: string;
  switchOff: string;
  again: { pulse(time: string): string; on: string; off: string; unlock: string; click: string };
  againWithin: string;
  working: string;
  done: { pulse(time: string): string; on: string; off: string; already: string };
  change: string;
  save: string;
  cancel: string;
  saved(changes: string): string;
  nothingChanged: string;
  name: string;
  pulseInMs: string;
  noWholeNumber: string;
  appliesNext: string;
  lock: string;
  lockMeans: string;
  lockFor: string;
  lockNow: string;
  unlock: string;
  lockedFor(time: string): string;
  unsaved: string;
  unlocked: string;

  link: {
    up: string;
    down: string;
    chipUp: string;
    chipDown: string;
    upMeans: string;
    downMeans: string;
    diagnosis: string;
    server: string;
    product: string;
    version: string;
    fingerprint: string;
    enrolment: string;
    codeWaits: string;
    noCode: string;
    relays: string;
    guardRuns: string;
    guardIsAway: string;
    faults: string;
    device: string;
  };

  past: {
    commands: string;
    noCommands: string;
    history: string;
    older: string;
    refresh: string;
    ago(time: string): string;
    by(name: string): string;
    byNobody: string;
    afterBoot(time: string): string;
    newPin: string;
  };
  commands: { on: string; off: string; toggle: string; pulse: string; stop: string };
  members: Record<ShownMember, string>;

  doctor: {
    title: string;
    lead: string;
    run: string;
    running: string;
    runAgain: string;
    well: string;
    counts(fails: number, warnings: number, oks: number): string;
    verdicts: { ok: string; warn: string; fail: string };
    means: string;
    cure: string;
  };

  prove: {
    title: string;
    lead: string;
    warning: string;
    /** `when` null: the device's clock was not set then. */
    provenBy(name: string, when: string | null): string;
    notProven: string;
    required: string;
    by: string;
    begin: string;
    step(step: number, steps: number): string;
    willClick(relay: number, name: string): string;
    click: string;
    clicking: string;
    which: string;
    relay(relay: number): string;
    noRelay: string;
    isOn(relay: number): string;
    yes: string;
    no: string;
    clickAgain: string;
    stop: string;
    review: string;
    answer(numOutput: number, name: string): string;
    saw(relay: number): string;
    sawNone: string;
    lampOn: string;
    lampOff: string;
    record: string;
    proven: string;
    corrected: string;
    line(from: number, to: number): string;
    level(from: string, to: string): string;
    restart: string;
    inForce: string;
    onceMore: string;
  };
}

/** "refused: locked". */
export function outcomeInWords(words: Words, outcome: string, reason: string | undefined): string {
  const word = known(words.outcomes, outcome) ?? outcome;
  return reason === undefined ? word : `${word}: ${words.reason(reason)}`;
}

/** At the beginning of a line. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
