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
import { eventOf } from './drive-result';
import { type Member, memberOf } from './interlock';
import type { InterlockedOutput, InterlockTurns, Turn } from './interlock-turns';
import { LimitWatch } from './limit-watch';
import {
  confirmationOf,
  isSuperseded,
  JOURNAL_FAILED,
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

/** Commands that wait for one output; one more is refused. I15. */
const MAX_WAITING_COMMANDS = 16;

export interface OutputPorts extends BoardLinePorts {
  /** Resolves when the journal holds that the command may have moved something. */
  recordStart(command: OrderedCommand): Promise<void>;
  saveState(numOutput: number, active: boolean): Promise<void>;
  /** I12: a newer link has taken over since the command was given. */
  isSuperseded(epoch: number): boolean;
  onChange(): void;
  info(text: string): void;
  presence(): Presence;
  turns: Pick<InterlockTurns, 'take'>;
}

/** An output at work: feeds its state machine one command at a time and carries the effects out. */
export class RunningOutput implements InterlockedOutput {
  readonly numOutput: number;
  readonly #ports: OutputPorts;
  readonly #line: BoardLine;
  readonly #limit: LimitWatch;
  #settings: OutputSettings;
  #rules: WholeOutput;
  #output: Output = { phase: 'unknown' };
  #waiting: Job[] = [];
  #current: Job | null = null;
  /** No command begins while this is set: the output is being set up anew. */
  #isHeld = false;
  /** No command begins any more. */
  #isHalted = false;
  #cancelWait: Cancel = () => {};
  /** Of the command that waits for the others of its interlock, or has not got its answer from the board. */
  #turn: Turn | null = null;
  /** The answer to an older save is not looked at any more. */
  #saves = 0;
  #atRest: (() => void)[] = [];

  constructor(numOutput: number, settings: OutputSettings, ports: OutputPorts) {
    this.numOutput = numOutput;
    this.#settings = settings;
    this.#rules = wholeOutput(settings);
    this.#ports = ports;
    this.#line = new BoardLine(numOutput, ports);
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

  get isStuck(): boolean {
    return this.#output.phase === 'stuck';
  }

  /** What the board's last failure was; null once an order has worked. */
  get problem(): string | null {
    return this.#line.problem;
  }

  /** Inactive, and nothing is about to move. */
  get isIdle(): boolean {
    return this.#output.phase === 'inactive' && this.#current === null && this.#waiting.length === 0;
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
    await this.settled();
    return this.#output.phase === 'inactive';
  }

  /** The same, and nothing moves any more afterwards: the guard ends. Every command is answered. */
  async halt(): Promise<boolean> {
    this.#isHalted = true;
    for (const job of this.#waiting.splice(0)) this.#answer(job, 'refused', STOPPING.reason);
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
      const job = this.#waiting.shift();
      if (!job) return;
      const objection = objectionTo(job, this.#ports);
      if (objection) {
        this.#answer(job, objection.outcome, objection.reason);
      } else {
        this.#current = job;
        const sinceEdgeMs = this.#ports.clock.nowMs() - this.#line.movedMs;
        this.#feed({ kind: 'command', command: job.command, sinceEdgeMs });
      }
    }
  }

  #feed(event: OutputEvent): void {
    const before = this.#output;
    const [output, effects] = step(before, event, this.#rules);
    this.#output = output;
    if (stateOf(before) !== stateOf(output) || (before.phase === 'stuck') !== (output.phase === 'stuck')) {
      this.#ports.onChange();
    }
    this.#limit.follow(output, event, this.#rules);
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
        this.#cancelWait();
        this.#cancelWait = this.#ports.clock.after(delayMs, () => this.#feed({ kind: 'due' }));
        return;
      }
      case 'stop-waiting':
        this.#cancelWait();
        return;
      case 'settle': {
        const job = this.#current;
        this.#current = null;
        this.#turn?.end();
        this.#turn = null;
        if (job) this.#answer(job, effect.outcome, effect.reason);
        return;
      }
      case 'postpone':
        if (this.#current) this.#waiting.unshift(this.#current);
        this.#current = null;
        return;
      default:
        effect satisfies never;
    }
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
      this.#feed({ kind: 'ordered' });
      this.#drive({ active, notAfterMs: job.startBeforeMs, ...(pulseMs === undefined ? {} : { pulseMs }) });
    };
    const { interlock } = this.#rules;
    const isLocked = interlock !== null && active && this.state === 0;
    const recorded = (): void => {
      if (!isLocked || isGone()) return drive(null);
      this.#turn = this.#ports.turns.take(this, interlock, job.startBeforeMs);
      void this.#turn.cleared.then(drive);
    };
    this.#ports.recordStart(job).then(recorded, () => drive(JOURNAL_FAILED));
  }

  #save(active: boolean): void {
    this.#saves += 1;
    const saves = this.#saves;
    const answer = (kind: 'saved' | 'save-failed'): void => {
      if (this.#saves === saves) this.#feed({ kind });
    };
    this.#ports.saveState(this.numOutput, active).then(
      () => answer('saved'),
      () => answer('save-failed'),
    );
  }

  #drive(order: { active: boolean; notAfterMs: number | null; pulseMs?: number }): void {
    const { active, ...rest } = order;
    const { activeLevel } = this.#settings;
    const level = active ? activeLevel : oppositeLevel(activeLevel);
    this.#line.drive({ level, ...rest }, (result) => this.#feed(eventOf(result, activeLevel)));
  }

  #answer(job: Job, outcome: CommandConfirmation['outcome'], reason: string | undefined): void {
    job.settle(confirmationOf(job, this.numOutput, this.state, outcome, reason));
  }

  settled(): Promise<void> {
    if (isSettled(this.#output)) return Promise.resolve();
    return new Promise((resolve) => this.#atRest.push(resolve));
  }
}
