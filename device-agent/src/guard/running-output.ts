import type { Cancel, Clock, CommandConfirmation, OutputSettings, OutputState } from '@relaygate/shared';
import { problemOf } from '../program/problem';
import type { DriveOrder, DriveResult, RelayDriver } from '../relay/relay-driver';
import { oppositeLevel } from '../relay/relay-driver';
import { eventOf, problemOfDrive } from './drive-result';
import {
  isSuperseded,
  JOURNAL_FAILED,
  type Objection,
  type OrderedCommand,
  objectionTo,
  STOPPING,
  SUPERSEDED,
} from './ordered-command';
import { isSettled, type Output, type OutputEffect, type OutputEvent, stateOf, step } from './output';

/** A board that has not answered by then counts as failed; for a pulse never longer than the pulse itself (I4). */
export const DRIVE_TIMEOUT_MS = 1_000;
/** Commands that wait for one output; one more is refused. I15. */
const MAX_WAITING_COMMANDS = 16;

export interface OutputPorts {
  clock: Clock;
  driver: RelayDriver;
  /** Resolves when the journal holds that the command may have moved something. */
  recordStart(command: OrderedCommand): Promise<void>;
  saveState(numOutput: number, active: boolean): Promise<void>;
  /** I12: a newer link has taken over since the command was given. */
  isSuperseded(epoch: number): boolean;
  onChange(): void;
  warn(text: string): void;
}

interface Job extends OrderedCommand {
  settle(confirmation: CommandConfirmation): void;
}

/** An output at work: feeds its state machine one command at a time and carries the effects out. */
export class RunningOutput {
  readonly numOutput: number;
  readonly #ports: OutputPorts;
  #settings: OutputSettings;
  #output: Output = { phase: 'unknown' };
  #waiting: Job[] = [];
  #current: Job | null = null;
  /** No command begins while this is set: the output is being set up anew. */
  #isHeld = false;
  /** No command begins any more. */
  #isHalted = false;
  #cancelWait: Cancel = () => {};
  /** The answer to an older order, of the board or of the state file, is not looked at any more. */
  #orders = 0;
  #saves = 0;
  /** The order that the board has not answered yet. */
  #driving: Promise<void> | null = null;
  #atRest: (() => void)[] = [];
  #problem: string | null = null;

  constructor(numOutput: number, settings: OutputSettings, ports: OutputPorts) {
    this.numOutput = numOutput;
    this.#settings = settings;
    this.#ports = ports;
  }

  get settings(): OutputSettings {
    return this.#settings;
  }

  get state(): OutputState | null {
    return stateOf(this.#output);
  }

  get isStuck(): boolean {
    return this.#output.phase === 'stuck';
  }

  /** What the board's last failure was; null once an order has worked. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Inactive, and nothing is about to move. */
  get isIdle(): boolean {
    return this.#output.phase === 'inactive' && this.#current === null && this.#waiting.length === 0;
  }

  start(active: boolean): Promise<void> {
    this.#feed({ kind: 'start', active });
    return this.#settled();
  }

  execute(command: OrderedCommand): Promise<CommandConfirmation> {
    return new Promise((settle) => {
      const job = { ...command, settle };
      if (this.#isHalted) this.#answer(job, 'refused', STOPPING.reason);
      else if (this.#waiting.length >= MAX_WAITING_COMMANDS) this.#answer(job, 'refused', 'busy');
      else this.#waiting.push(job);
      this.#next();
    });
  }

  /** Answers what has not begun and is superseded by now. */
  dropSuperseded(): void {
    const isDropped = (job: Job): boolean => isSuperseded(job, this.#ports.isSuperseded);
    const dropped = this.#waiting.filter(isDropped);
    this.#waiting = this.#waiting.filter((job) => !isDropped(job));
    for (const job of dropped) this.#answer(job, SUPERSEDED.outcome, SUPERSEDED.reason);
  }

  /** Inactive as soon as the board does it, commands or not. Resolves with whether it is, or could not be for now. */
  async release(): Promise<boolean> {
    this.#feed({ kind: 'release' });
    await this.#settled();
    return this.#output.phase === 'inactive';
  }

  /** The same, and nothing moves any more afterwards: the guard ends. Every command is answered. */
  async halt(): Promise<boolean> {
    this.#isHalted = true;
    for (const job of this.#waiting.splice(0)) this.#answer(job, 'refused', STOPPING.reason);
    // What the board has in hand it answers within DRIVE_TIMEOUT_MS; only then is there something true to say.
    if (this.#current && this.#driving !== null) await this.#driving;
    else if (this.#current) this.#feed({ kind: 'not-driven', ...STOPPING });
    return this.release();
  }

  boardLost(): void {
    this.#feed({ kind: 'board-lost' });
  }

  /** Keeps commands waiting until `let go` is called; resolves when the running one is through. */
  async hold(): Promise<void> {
    this.#isHeld = true;
    await this.#settled();
  }

  letGo(): void {
    this.#isHeld = false;
    this.#next();
  }

  /** Takes effect at once; the caller has seen to it that mode and polarity change only while the output rests. */
  async configure(settings: OutputSettings): Promise<void> {
    const hasNewPolarity = settings.activeLevel !== this.#settings.activeLevel;
    this.#settings = settings;
    this.#ports.onChange();
    if (hasNewPolarity) await this.start(false);
  }

  #next(): void {
    while (!this.#isHalted && !this.#isHeld && this.#current === null && isSettled(this.#output)) {
      const job = this.#waiting.shift();
      if (!job) return;
      const objection = this.#objectionTo(job);
      if (objection) {
        this.#answer(job, objection.outcome, objection.reason);
      } else {
        this.#current = job;
        this.#feed({ kind: 'command', command: job.command });
      }
    }
  }

  #feed(event: OutputEvent): void {
    const before = this.#output;
    const [output, effects] = step(before, event, this.#settings);
    this.#output = output;
    if (stateOf(before) !== stateOf(output) || (before.phase === 'stuck') !== (output.phase === 'stuck')) {
      this.#ports.onChange();
    }
    for (const effect of effects) this.#carryOut(effect);
    if (isSettled(this.#output)) for (const resolve of this.#atRest.splice(0)) resolve();
    this.#next();
  }

  #carryOut(effect: OutputEffect): void {
    switch (effect.do) {
      case 'drive':
        if (effect.command) this.#driveForCommand(effect.active, effect.pulseMs);
        else this.#drive({ active: effect.active, notAfterMs: null });
        return;
      case 'save':
        this.#save(effect.active);
        return;
      case 'wait': {
        const nowMs = this.#ports.clock.nowMs();
        const delayMs = Math.max(0, (effect.sinceMs ?? nowMs) + effect.delayMs - nowMs);
        this.#cancelWait = this.#ports.clock.after(delayMs, () => this.#feed({ kind: 'due' }));
        return;
      }
      case 'stop-waiting':
        this.#cancelWait();
        return;
      case 'settle': {
        const job = this.#current;
        this.#current = null;
        if (job) this.#answer(job, effect.outcome, effect.reason);
        return;
      }
      default:
        effect satisfies never;
    }
  }

  /** I1: the record first. I2: the deadline is checked right before the board is told, with nothing in between. */
  #driveForCommand(active: boolean, pulseMs: number | undefined): void {
    const job = this.#current;
    if (!job) return;
    const orders = this.#orders;
    const drive = (isRecorded: boolean): void => {
      // Released meanwhile: the command is no longer what this output does.
      if (this.#current !== job || this.#orders !== orders) return;
      const objection = isRecorded ? this.#objectionTo(job) : JOURNAL_FAILED;
      if (objection) this.#feed({ kind: 'not-driven', ...objection });
      else this.#drive({ active, notAfterMs: job.startBeforeMs, ...(pulseMs === undefined ? {} : { pulseMs }) });
    };
    this.#ports.recordStart(job).then(
      () => drive(true),
      () => drive(false),
    );
  }

  #save(active: boolean): void {
    this.#saves += 1;
    const saves = this.#saves;
    const answer = (kind: 'saved' | 'save-failed'): void => {
      if (this.#saves === saves) this.#feed({ kind });
    };
    this.#mayBeSaved()
      .then(() => this.#ports.saveState(this.numOutput, active))
      .then(
        () => answer('saved'),
        () => answer('save-failed'),
      );
  }

  /** I1: a restart carries a saved "off" out, so from then on the command for it may have moved something. */
  async #mayBeSaved(): Promise<void> {
    if (this.#current && this.#output.phase === 'saving-off') await this.#ports.recordStart(this.#current);
  }

  #drive(order: { active: boolean; notAfterMs: number | null; pulseMs?: number }): void {
    this.#orders += 1;
    const orders = this.#orders;
    const { active, ...rest } = order;
    const { activeLevel } = this.#settings;
    const driveOrder: DriveOrder = {
      line: this.numOutput,
      level: active ? activeLevel : oppositeLevel(activeLevel),
      ...rest,
    };
    let answered = (): void => {};
    const driving = new Promise<void>((resolve) => {
      answered = resolve;
    });
    this.#driving = driving;
    const answer = (result: DriveResult): void => {
      cancelTimer();
      answered();
      if (this.#orders !== orders) return;
      // An order has one answer: this one, or that none came in time.
      this.#orders += 1;
      this.#driving = null;
      this.#noteProblem(problemOfDrive(result, driveOrder.level));
      this.#feed(eventOf(result, activeLevel));
    };
    const timeoutMs = Math.min(DRIVE_TIMEOUT_MS, order.pulseMs ?? DRIVE_TIMEOUT_MS);
    const cancelTimer = this.#ports.clock.after(timeoutMs, () =>
      answer({ kind: 'failed', problem: `no answer within ${timeoutMs} ms` }),
    );
    this.#ports.driver.drive(driveOrder).then(answer, (error) => answer({ kind: 'failed', problem: problemOf(error) }));
  }

  /** Once, not ten times a second while it is tried again. */
  #noteProblem(problem: string | null): void {
    if (problem !== null && problem !== this.#problem)
      this.#ports.warn(`output ${this.numOutput}: board failed: ${problem}`);
    this.#problem = problem;
  }

  #objectionTo(job: Job): Objection | null {
    return objectionTo(job, this.#ports.clock.nowMs(), this.#ports.isSuperseded);
  }

  #answer(job: Job, outcome: CommandConfirmation['outcome'], reason: string | undefined): void {
    const { state } = this;
    job.settle({
      commandId: job.commandId,
      outcome,
      numOutput: this.numOutput,
      ...(reason === undefined ? {} : { reason }),
      ...(state === null ? {} : { state }),
    });
  }

  #settled(): Promise<void> {
    if (isSettled(this.#output)) return Promise.resolve();
    return new Promise((resolve) => this.#atRest.push(resolve));
  }
}
