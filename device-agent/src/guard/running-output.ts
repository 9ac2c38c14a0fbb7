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
import { CommandWay, type CommandWayPorts } from './command-way';
import { eventOf } from './drive-result';
import { FeedbackWatch } from './feedback-watch';
import { type Member, memberOf } from './interlock';
import type { InterlockedOutput } from './interlock-turns';
import { LimitWatch } from './limit-watch';
import type { PolicyOff } from './on-limit';
import {
  confirmationOf,
  isSuperseded,
  type Objection,
  type OrderedCommand,
  OVERTAKEN,
  objectionTo,
  STOPPING,
  SUPERSEDED,
  switchesOff,
} from './ordered-command';
import { step } from './output';
import { isSettled, type Output, type OutputEffect, type OutputEvent, stateOf } from './output-phase';
import { isRestored } from './power-on';
import type { Presence } from './presence';
import { SAVE_PATIENCE_MS, StateSaves } from './state-saves';

export interface OutputPorts extends BoardLinePorts, CommandWayPorts {
  saveState(numOutput: number, active: boolean): Promise<void>;
  /** I12: a newer link has taken over since the command was given. */
  isSuperseded(epoch: number): boolean;
  onChange(): void;
  info(text: string): void;
  presence(): Presence;
}

const POLICY_WORDS: Record<PolicyOff, string> = {
  'max-on': 'it was on for maxOnMs',
  'link-loss': 'there was no link for linkLossMs',
  'agent-loss': 'the agent was not heard for agentLossMs',
  interlock: 'another output of its interlock is to go on',
};

/** An output at work: feeds its state machine one command at a time and carries the effects out. */
export class RunningOutput implements InterlockedOutput {
  readonly numOutput: number;
  readonly #ports: OutputPorts;
  readonly #line: BoardLine;
  readonly #limit: LimitWatch;
  readonly #saves: StateSaves;
  readonly #feedback: FeedbackWatch;
  #settings: OutputSettings;
  #rules: WholeOutput;
  #output: Output = { phase: 'unknown' };
  readonly #waiting: CommandQueue;
  /** Of the command that has begun; its proof comes afterwards, beside the next ones. */
  #way: CommandWay | null = null;
  /** No command begins while this is set: the output is being set up anew. */
  #isHeld = false;
  /** No command begins any more. */
  #isHalted = false;
  #endedBy: PolicyOff | null = null;
  #cancelWait: Cancel = () => {};
  #atRest: (() => void)[] = [];

  constructor(numOutput: number, settings: OutputSettings, ports: OutputPorts) {
    this.numOutput = numOutput;
    this.#settings = settings;
    this.#rules = wholeOutput(settings);
    this.#ports = ports;
    this.#line = new BoardLine(numOutput, ports);
    this.#waiting = new CommandQueue(ports.clock);
    this.#feedback = new FeedbackWatch(ports, () => ports.onChange());
    this.#saves = new StateSaves(
      ports.clock,
      (active, isNewest) => this.#save(active, isNewest),
      (kind) => this.#feed({ kind }),
    );
    this.#limit = new LimitWatch(ports.clock, ports.presence, (why) => this.#endBy(why));
  }

  get settings(): OutputSettings {
    return this.#settings;
  }

  get rules(): WholeOutput {
    return this.#rules;
  }

  get state(): OutputState | null {
    return stateOf(this.#output);
  }

  get isStuck(): boolean {
    return this.#output.phase === 'stuck';
  }

  get isUnproven(): boolean {
    return this.#feedback.isMissing;
  }

  /** The policy that switched it off; null: none has since it was on. */
  get endedBy(): PolicyOff | null {
    return this.#endedBy;
  }

  /** What the board's last failure was; null once an order has worked. */
  get problem(): string | null {
    return this.#line.problem;
  }

  /** Inactive, and nothing is about to move. */
  get isIdle(): boolean {
    return this.#output.phase === 'inactive' && this.#way === null && this.#waiting.isEmpty;
  }

  get member(): Member {
    return memberOf(this.numOutput, this.#output, this.#rules.mode, this.#line, this.#feedback.off);
  }

  start(active: boolean): Promise<void> {
    this.#feed({ kind: 'start', active });
    return this.#rests();
  }

  breakOff(): void {
    this.#endBy('interlock');
  }

  async settled(): Promise<void> {
    await this.#rests();
    await this.#feedback.ended();
  }

  async keepOff(): Promise<boolean> {
    if (!isRestored(this.#settings)) return true;
    return this.#ports.saveState(this.numOutput, false).then(
      () => true,
      () => false,
    );
  }

  execute(command: OrderedCommand): Promise<CommandConfirmation> {
    return new Promise((settle) => {
      const job = {
        ...command,
        answer: (answer: Objection) => settle(confirmationOf(command, this.numOutput, this.state, answer)),
      };
      if (this.#isHalted) return job.answer(STOPPING);
      if (this.#rules.mode === 'on-off' && switchesOff(job) && !objectionTo(job, this.#ports)) this.#overtake();
      this.#waiting.add(job);
      this.#next();
    });
  }

  /** Answers what has moved nothing yet and is superseded by now. */
  dropSuperseded(): void {
    const isOld = (command: OrderedCommand): boolean => isSuperseded(command, this.#ports.isSuperseded);
    this.#waiting.drop(SUPERSEDED, isOld);
    if (this.#way && isOld(this.#way.job) && !this.#way.isOrdered) this.#feed({ kind: 'not-driven', ...SUPERSEDED });
  }

  /** Inactive as soon as the board does it, commands or not. Resolves with whether it is, or could not be for now. */
  async release(): Promise<boolean> {
    this.#feed({ kind: 'release' });
    await this.#rests();
    return this.#output.phase === 'inactive';
  }

  /** The same, and nothing moves any more afterwards: the guard ends. Every command is answered. */
  async halt(): Promise<boolean> {
    this.#isHalted = true;
    this.#waiting.drop(STOPPING, () => true);
    // What the board has in hand it answers within DRIVE_TIMEOUT_MS; only then is there something true to say.
    const { driving } = this.#line;
    if (this.#way && driving !== null) await driving;
    else if (this.#way) this.#feed({ kind: 'not-driven', ...STOPPING });
    const isOff = await this.release();
    this.#feedback.leave('feedback-missing');
    return isOff;
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
    await this.#rests();
  }

  letGo(): void {
    this.#isHeld = false;
    this.#next();
  }

  /** Takes effect at once; the caller has seen to it that mode and polarity change only while the output rests. */
  async configure(settings: OutputSettings): Promise<void> {
    const before = this.#rules;
    this.#settings = settings;
    this.#rules = wholeOutput(settings);
    if (this.#rules.feedbackInput !== before.feedbackInput) this.#feedback.forget();
    this.#ports.onChange();
    this.#limit.watch(this.#rules);
    if (settings.activeLevel !== before.activeLevel) await this.start(false);
  }

  /** Off was commanded: nothing that was commanded before goes on after it. */
  #overtake(): void {
    this.#waiting.drop(OVERTAKEN, (job) => !switchesOff(job));
    const isGoingOn = this.#output.phase === 'switching' && this.#output.active && !this.#output.isOrdered;
    if (this.#way && isGoingOn) this.#feed({ kind: 'not-driven', ...OVERTAKEN });
  }

  #endBy(why: PolicyOff): void {
    const before = this.#output;
    this.#feed({ kind: 'limit' });
    if (this.#output === before) return;
    this.#endedBy = why;
    this.#ports.info(`output ${this.numOutput} goes off: ${POLICY_WORDS[why]}`);
  }

  #next(): void {
    while (!this.#isHalted && !this.#isHeld && this.#way === null && isSettled(this.#output)) {
      const job = this.#waiting.next();
      if (!job) return;
      const objection = objectionTo(job, this.#ports);
      if (objection) {
        job.answer(objection);
      } else {
        this.#way = new CommandWay(job, this.#ports);
        const sinceEdgeMs = this.#ports.clock.nowMs() - this.#line.movedMs;
        this.#feed({ kind: 'command', command: job.command, sinceEdgeMs });
      }
    }
  }

  #feed(event: OutputEvent): void {
    const before = this.#output;
    const [output, effects] = step(before, event, this.#rules);
    this.#output = output;
    const isNews = stateOf(before) !== stateOf(output) || (before.phase === 'stuck') !== (output.phase === 'stuck');
    if (isNews) this.#ports.onChange();
    this.#limit.follow(output, event, this.#rules);
    this.#follow(event);
    for (const effect of effects) this.#carryOut(effect);
    if (isSettled(this.#output)) for (const resolve of this.#atRest.splice(0)) resolve();
    this.#next();
  }

  /** The feedback input is asked after every edge. */
  #follow({ kind }: OutputEvent): void {
    if (kind !== 'driven') return;
    this.#way?.end();
    if (this.state === 1) this.#endedBy = null;
    const why = this.#endedBy === null ? 'feedback-missing' : 'ended-by-policy';
    if (this.state !== null && !this.#isHalted) this.#feedback.moved(this.state, this.#rules, why);
  }

  #carryOut(effect: OutputEffect): void {
    switch (effect.do) {
      case 'drive':
        if (effect.command) return this.#driveForCommand(effect.active, effect.pulseMs);
        return this.#drive({ active: effect.active, notAfterMs: null });
      case 'save':
        return this.#saves.save(effect.active, this.#savePatienceMs());
      case 'wait': {
        const nowMs = this.#ports.clock.nowMs();
        const delayMs = Math.max(0, (effect.sinceMs ?? nowMs) + effect.delayMs - nowMs);
        this.#cancelWait();
        this.#cancelWait = this.#ports.clock.after(delayMs, () => this.#feed({ kind: 'due' }));
        return;
      }
      case 'stop-waiting':
        return this.#cancelWait();
      case 'settle': {
        const way = this.#way;
        this.#way = null;
        way?.settle(effect, { rules: this.#rules, state: this.state, feedback: this.#feedback });
        return;
      }
      case 'postpone':
        if (this.#way) this.#waiting.putBack(this.#way.job);
        this.#way?.end();
        this.#way = null;
        return;
      default:
        effect satisfies never;
    }
  }

  /** I1: the record first. I2: the deadline is checked right before the board is told, with nothing in between. */
  #driveForCommand(active: boolean, pulseMs: number | undefined): void {
    const way = this.#way;
    if (!way) return;
    const { orders } = this.#line;
    const isEdge = active === (this.state === 0);
    const needs = {
      output: this,
      group: active && isEdge ? this.#rules.interlock : null,
      look: async () => (isEdge ? this.#feedback.before(this.#rules) : null),
      // Released meanwhile: the command is no longer what this output does.
      isGone: () => this.#way !== way || this.#line.orders !== orders,
      objection: () => objectionTo(way.job, this.#ports),
    };
    way.toEdge(needs, (problem) => {
      if (needs.isGone()) return;
      const objection = problem ?? needs.objection();
      if (objection) return this.#feed({ kind: 'not-driven', ...objection });
      way.ordered();
      this.#feed({ kind: 'ordered' });
      this.#drive({ active, notAfterMs: way.job.startBeforeMs, ...(pulseMs === undefined ? {} : { pulseMs }) });
    });
  }

  /** I1: a restart carries a saved "off" out, so from then on the command for it may have moved something. */
  async #save(active: boolean, isNewest: () => boolean): Promise<void> {
    if (this.#way && this.#output.phase === 'saving-off') await this.#ports.recordStart(this.#way.job);
    if (isNewest()) await this.#ports.saveState(this.numOutput, active);
  }

  /** A disk that hangs leaves a command enough time to switch off all the same. */
  #savePatienceMs(): number {
    if (!this.#way || this.#output.phase !== 'saving-off') return SAVE_PATIENCE_MS;
    return Math.min(SAVE_PATIENCE_MS, (this.#way.job.startBeforeMs - this.#ports.clock.nowMs()) / 2);
  }

  #drive({ active, ...order }: { active: boolean; notAfterMs: number | null; pulseMs?: number }): void {
    const { activeLevel } = this.#settings;
    const level = active ? activeLevel : oppositeLevel(activeLevel);
    this.#line.drive({ level, ...order }, (result) => this.#feed(eventOf(result, activeLevel)));
  }

  #rests(): Promise<void> {
    if (isSettled(this.#output)) return Promise.resolve();
    return new Promise((resolve) => this.#atRest.push(resolve));
  }
}
