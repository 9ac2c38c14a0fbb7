/** The settings of the modelled outputs while technicians change them, and those that a guard may go by. */
import type { CompleteOutput } from '@relaygate/shared/device';

export interface TimedSettings {
  settings: CompleteOutput;
  /** When they were asked for. */
  fromMs: number;
  /** From then on no guard goes by them any more. */
  untilMs: number;
}

interface Change {
  numOutput: number;
  asked: TimedSettings;
  isForced: boolean;
  askedMs: number;
  answeredMs: number;
}

export class SettingsInTurn {
  readonly #known: TimedSettings[][];
  readonly #changes: Change[] = [];
  #open: Change | null = null;

  constructor(outputs: readonly CompleteOutput[]) {
    this.#known = outputs.map((settings) => [
      { settings, fromMs: Number.NEGATIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY },
    ]);
  }

  /** A change is asked for, and nobody knows whether it is made. The agent asks for one after the other. */
  get isOpen(): boolean {
    return this.#open !== null;
  }

  /** As they stand in the file: the change that is asked for, until it is refused. */
  get inFile(): CompleteOutput[] {
    return this.#known.flatMap((known) => known.at(-1)?.settings ?? []);
  }

  ask(numOutput: number, settings: CompleteOutput, isForced: boolean, nowMs: number): void {
    const asked = { settings, fromMs: nowMs, untilMs: Number.POSITIVE_INFINITY };
    this.#known[numOutput]?.push(asked);
    this.#open = { numOutput, asked, isForced, askedMs: nowMs, answeredMs: Number.POSITIVE_INFINITY };
    this.#changes.push(this.#open);
  }

  /** A guard that starts goes by the file, as one that has made the change. */
  answered(isMade: boolean, nowMs: number): void {
    const change = this.#open;
    this.#open = null;
    if (!change) return;
    change.answeredMs = nowMs;
    const known = this.#known[change.numOutput] ?? [];
    for (const one of known) if ((one === change.asked) !== isMade) one.untilMs = Math.min(one.untilMs, nowMs);
    if (!isMade) this.#known[change.numOutput] = [change.asked, ...known.filter((one) => one !== change.asked)];
  }

  /** All that a guard may have gone by at some time from..until. */
  within(numOutput: number, fromMs: number, untilMs: number): TimedSettings[] {
    return (this.#known[numOutput] ?? []).filter((one) => one.fromMs <= untilMs && one.untilMs >= fromMs);
  }

  /** When somebody was last told what became of a change to it. */
  answeredMs(numOutput: number): number {
    const own = this.#changes.filter((change) => change.numOutput === numOutput && change !== this.#open);
    return own.at(-1)?.answeredMs ?? Number.NEGATIVE_INFINITY;
  }

  /** Whether it was an output of pulses all the time, or one that stays on; null: it became the other, perhaps. */
  modeWithin(numOutput: number, fromMs: number, untilMs: number): CompleteOutput['mode'] | null {
    const modes = new Set(this.within(numOutput, fromMs, untilMs).map(({ settings: { mode } }) => mode));
    const [mode = null] = modes;
    return modes.size === 1 ? mode : null;
  }

  /** Whether two outputs, or one, were of one interlock all the time. */
  areInterlocked(one: number, other: number, fromMs: number, untilMs: number): boolean {
    const groups = new Set(
      [one, other].flatMap((line) =>
        this.within(line, fromMs, untilMs).map(({ settings: { interlock } }) => interlock),
      ),
    );
    return groups.size === 1 && !groups.has(null);
  }

  /** Whether it may have been of an interlock at some time from..until. */
  mayBeInterlocked(numOutput: number, fromMs: number, untilMs: number): boolean {
    return this.within(numOutput, fromMs, untilMs).some(({ settings: { interlock } }) => interlock !== null);
  }

  /** Whether somebody wanted it put off for a change, at some time from..until. */
  isForcedWithin(numOutput: number, fromMs: number, untilMs: number): boolean {
    return this.#changes.some(
      (change) =>
        change.numOutput === numOutput && change.isForced && change.askedMs <= untilMs && change.answeredMs >= fromMs,
    );
  }
}
