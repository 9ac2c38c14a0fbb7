import {
  type Cancel,
  type CommandConfirmation,
  type OutputSettings,
  type OutputState,
  type WholeOutput,
  wholeOutput,
} from '@relaygate/shared';
import { oppositeLevel } from '../relay/relay-driver';
import { BoardLine, type BoardLinePorts } from './board-line';
import { CommandQueue } from './command-queue';
import { CommandStart, type CommandStartPorts } from './command-start';
import { eventOf } from './drive-result';
import { type Member, memberOf } from './interlock';
import type { InterlockedOutput } from './interlock-turns';
import { LimitWatch } from './limit-watch';
import {
  confirmationOf,
  isSuperseded,
  type Job,
  type Objection,
  type OrderedCommand,
  objectionTo,
  STOPPING,
  SUPERSEDED,
} from './ordered-command';
import { step } from './output';
import { isSettled, type Output, type OutputEffect, type OutputEvent, stateOf } from './output-phase';
import type { Presence } from './presence';
import { type Answer, Proof } from './proof';
import { StateSaves } from './state-saves';

export interface OutputPorts extends BoardLinePorts, CommandStartPorts {
  saveState(numOutput: number, active: boolean): Promise<void>;
  /** I12: a newer link has taken over since the command was given. */
  isSuperseded(epoch: number): boolean;
  onChange(): void;
  info(text: string): void;
  presence(): Presence;
}

/** An output at work: feeds its state machine one command at a time and carries the effects out. */
export class RunningOutput implements InterlockedOutput {
  readonly numOutput: number;
  readonly #ports: OutputPorts;
  readonly #line: BoardLine;
  readonly #limit: LimitWatch;
  readonly #saves: StateSaves;
  readonly #proof: Proof;
  readonly #commandStart: CommandStart;
  #settings: OutputSettings;
  #rules: WholeOutput;
  #output: Output = { phase: 'unknown' };
  readonly #waiting = new CommandQueue();
  #current: Job | null = null;
  #isStuck = false;
  /** The board was told something for it. */
  #isOrdered = false;
  /** No command begins while this is set: the output is being set up anew. */
  #isHeld = false;
  /** No command begins any more. */
  #isHalted = false;
  #cancelWait: Cancel = () => {};
  #atRest: (() => void)[] = [];

  constructor(numOutput: number, settings: OutputSettings, ports: OutputPorts) {
    this.numOutput = numOutput;
    this.#settings = settings;
    this.#rules = wholeOutput(settings);
    this.#ports = ports;
    this.#line = new BoardLine(numOutput, ports);
    this.#proof = new Proof(ports);
    this.#commandStart = new CommandStart(ports);
    this.#saves = new StateSaves(
      (active) => this.#mayBeSaved().then(() => ports.saveState(numOutput, active)),
      (kind) => this.#feed({ kind }),
    );
    this.#limit = new LimitWatch(ports.clock, ports.presence, () => {
      ports.info(`output ${numOutput}: a policy says that its time is up, it goes off`);
      this.#feed({ kind: 'limit' });
    });
  }

  get settings(): OutputSettings {
    return this.#settings;
  }

  get state(): OutputState | null {
    return stateOf(this.#output);
  }

  /** Also while it is tried again: a board that hangs takes its time to fail. */
  get isStuck(): boolean {
    return this.#isStuck;
  }

  /** Whether the state was read back from the board, or only written to it. */
  get isReadBack(): boolean {
    return this.#line.isReadBack;
  }

  /** Whether the board itself ended the last pulse. */
  get boardEndsPulse(): boolean {
    return this.#rules.mode === 'impulse' && this.#line.boardEndsPulse;
  }

  get isUnproven(): boolean {
    return this.#rules.feedbackInput !== null && this.#proof.isMissing;
  }

  /** What the board's last failure was; null once an order has worked. */
  get problem(): string | null {
    return this.#line.problem;
  }

  /** Inactive, and nothing is about to move. */
  get isIdle(): boolean {
    return this.#output.phase === 'inactive' && this.#current === null && this.#waiting.isEmpty;
  }

  start(active: boolean): Promise<void> {
    this.#feed({ kind: 'start', active });
    return this.settled();
  }

  get rules(): WholeOutput {
    return this.#rules;
  }

  get member(): Member {
    return memberOf(this.numOutput, this.#output, this.#rules.mode, this.#line);
  }

  /** Off, because another output of the group is to go on. */
  breakOff(): Promise<void> {
    this.#ports.info(`output ${this.numOutput}: goes off, for another one of ${this.#rules.interlock} is to go on`);
    this.#feed({ kind: 'limit' });
    return this.settled();
  }

  execute(command: OrderedCommand): Promise<CommandConfirmation> {
    return new Promise((settle) => {
      const job = { ...command, settle };
      if (this.#isHalted) this.#answer(job, 'refused', STOPPING.reason);
      else if (!this.#waiting.add(job)) this.#answer(job, 'refused', 'busy');
      this.#next();
    });
  }

  /** Answers what has not begun and is superseded by now. */
  dropSuperseded(): void {
    for (const job of this.#waiting.takeOut((waiting) => isSuperseded(waiting, this.#ports.isSuperseded)))
      this.#answer(job, SUPERSEDED.outcome, SUPERSEDED.reason);
  }

  /** Inactive as soon as the board does it, commands or not. Resolves with whether it is, or could not be for now. */
  async release(): Promise<boolean> {
    this.#feed({ kind: 'release' });
    await this.settled();
    return this.#output.phase === 'inactive';
  }

  /** The same, and nothing moves any more afterwards: the guard ends. Every command is answered. */
  async halt(): Promise<boolean> {
    this.#isHalted = true;
    for (const job of this.#waiting.takeOut(() => true)) this.#answer(job, 'refused', STOPPING.reason);
    // What the board has in hand it answers within DRIVE_TIMEOUT_MS; only then is there something true to say.
    const { driving } = this.#line;
    if (this.#current && driving !== null) await driving;
    else if (this.#current) this.#feed({ kind: 'not-driven', ...STOPPING });
    return this.release();
  }

  presenceChanged(): void {
    this.#limit.watch(this.#rules);
  }

  boardLost(): void {
    this.#feed({ kind: 'board-lost' });
  }

  /** Keeps commands waiting until `let go` is called; resolves when the running one is through. */
  async hold(): Promise<void> {
    this.#isHeld = true;
    await this.settled();
  }

  letGo(): void {
    this.#isHeld = false;
    this.#next();
  }

  /** Takes effect at once; the caller has seen to it that mode and polarity change only while the output rests. */
  async configure(settings: OutputSettings): Promise<void> {
    const hasNewPolarity = settings.activeLevel !== this.#settings.activeLevel;
    this.#settings = settings;
    this.#rules = wholeOutput(settings);
    this.#ports.onChange();
    this.#limit.watch(this.#rules);
    if (hasNewPolarity) await this.start(false);
  }

  #next(): void {
    while (!this.#isHalted && !this.#isHeld && this.#current === null && isSettled(this.#output)) {
      const job = this.#waiting.next();
      if (!job) return;
      const objection = objectionTo(job, this.#ports);
      if (objection) {
        this.#answer(job, objection.outcome, objection.reason);
      } else {
        this.#current = job;
        this.#isOrdered = false;
        const sinceEdgeMs = this.#ports.clock.nowMs() - this.#line.movedMs;
        this.#feed({ kind: 'command', command: job.command, sinceEdgeMs });
      }
    }
  }

  #feed(event: OutputEvent): void {
    const before = this.#output;
    const [output, effects] = step(before, event, this.#rules);
    this.#output = output;
    const wasStuck = this.#isStuck;
    this.#isStuck = output.phase === 'stuck' || (output.phase === 'releasing' && wasStuck);
    const isNews = stateOf(before) !== stateOf(output) || wasStuck !== this.#isStuck;
    if (isNews) this.#ports.onChange();
    this.#limit.follow(output, event, this.#rules);
    for (const effect of effects) this.#carryOut(effect);
    if (isSettled(this.#output)) for (const resolve of this.#atRest.splice(0)) resolve();
    this.#next();
  }

  #carryOut(effect: OutputEffect): void {
    switch (effect.do) {
      case 'drive':
        if (effect.command) return this.#driveForCommand(effect.active, effect.pulseMs);
        return this.#drive({ active: effect.active, notAfterMs: null });
      case 'save':
        return this.#saves.save(effect.active);
      case 'wait': {
        const nowMs = this.#ports.clock.nowMs();
        const delayMs = Math.max(0, (effect.sinceMs ?? nowMs) + effect.delayMs - nowMs);
        this.#cancelWait();
        this.#cancelWait = this.#ports.clock.after(delayMs, () => this.#feed({ kind: 'due' }));
        return;
      }
      case 'stop-waiting':
        return this.#cancelWait();
      case 'settle':
        return this.#settle(effect);
      case 'postpone':
        if (this.#current) this.#waiting.putBack(this.#current);
        this.#current = null;
        return;
      default:
        effect satisfies never;
    }
  }

  #settle({ outcome, reason }: Answer): void {
    const job = this.#current;
    this.#commandStart.end();
    if (!job) return;
    const proof = this.#proof.of({ outcome, reason }, this.#isOrdered, this.#rules, () => this.state);
    if (proof !== null) {
      // Until then no other command begins, which would undo what is to be proven.
      void proof.then((answer) => this.#finish(job, answer));
    } else {
      this.#current = null;
      this.#answer(job, outcome, reason);
    }
  }

  #finish(job: Job, { outcome, reason }: Answer): void {
    this.#current = null;
    this.#answer(job, outcome, reason);
    this.#ports.onChange();
    this.#next();
  }

  /** I1: the record first. I2: the deadline is checked right before the board is told, with nothing in between. */
  #driveForCommand(active: boolean, pulseMs: number | undefined): void {
    const job = this.#current;
    if (!job) return;
    const { orders } = this.#line;
    // Released meanwhile: the command is no longer what this output does.
    const isGone = (): boolean => this.#current !== job || this.#line.orders !== orders;
    const drive = (problem: Objection | null): void => {
      if (isGone()) return;
      const objection = problem ?? objectionTo(job, this.#ports);
      if (objection) return this.#feed({ kind: 'not-driven', ...objection });
      this.#isOrdered = true;
      this.#feed({ kind: 'ordered' });
      this.#drive({ active, notAfterMs: job.startBeforeMs, ...(pulseMs === undefined ? {} : { pulseMs }) });
    };
    const group = active && this.state === 0 ? this.#rules.interlock : null;
    this.#commandStart.begin(job, this, group, isGone, drive);
  }

  /** I1: a restart carries a saved "off" out, so from then on the command for it may have moved something. */
  async #mayBeSaved(): Promise<void> {
    if (this.#current && this.#output.phase === 'saving-off') await this.#ports.recordStart(this.#current);
  }

  #drive({ active, ...order }: { active: boolean; notAfterMs: number | null; pulseMs?: number }): void {
    const { activeLevel } = this.#settings;
    const level = active ? activeLevel : oppositeLevel(activeLevel);
    this.#line.drive({ level, ...order }, (result) => this.#feed(eventOf(result, activeLevel)));
  }

  #answer(job: Job, outcome: CommandConfirmation['outcome'], reason: string | undefined): void {
    job.settle(confirmationOf(job, this.numOutput, this.state, outcome, reason));
  }

  settled(): Promise<void> {
    if (isSettled(this.#output)) return Promise.resolve();
    return new Promise((resolve) => this.#atRest.push(resolve));
  }
}
