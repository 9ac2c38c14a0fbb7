import type { OutputState } from '@relaygate/shared';
import type { Level } from '@relaygate/shared/level';
import type { CompleteOutput, OutputSettings } from '@relaygate/shared/output-settings';
import { FeedbackWatch } from './commands/feedback-watch';
import { type Member, memberOf } from './commands/interlock';
import type { InterlockedOutput } from './commands/interlock-turns';
import type { OrderedCommand, OrderedStop } from './commands/ordered-command';
import { OutputCommands } from './commands/output-commands';
import { PulseStops } from './commands/pulse-stops';
import { BoardLine } from './effects/board-line';
import { OutputEffects } from './effects/output-effects';
import { LimitWatch } from './limit-watch';
import type { OutputDeps } from './output-deps';
import { OutputMachine, type OutputStep } from './output-machine';
import { isGoingOff, isSettled, isTurningOn, pulseSinceOf, stateOf, uncommandedOf } from './output-phase';
import type { Awaited, OutputEffect } from './output-types';
import { isRestored, mayStartActive } from './power-on';
import type { GuardConfirmation } from './requests';

/** An output at work: its machine's effects go to its commands or to the world, and events are fed to the machine. */
export class RunningOutput implements InterlockedOutput {
  readonly numOutput: number;
  readonly line: BoardLine;
  readonly feedback: FeedbackWatch;
  readonly limit: LimitWatch;
  readonly commands: OutputCommands;
  readonly #deps: OutputDeps;
  readonly #machine: OutputMachine;
  readonly #effects: OutputEffects;
  readonly #stops: PulseStops;
  #isStuck = false;
  /** The relay was found on after the order that was answered then; null: it was not, or has been put off since. */
  #foundOnAfterMs: number | null = null;
  #settledCalls: (() => void)[] = [];

  constructor(numOutput: number, settings: OutputSettings, deps: OutputDeps) {
    this.numOutput = numOutput;
    this.#deps = deps;
    const machine = new OutputMachine(numOutput, settings, (step) => this.#follow(step));
    const line = new BoardLine(numOutput, deps);
    const feedback = new FeedbackWatch(deps);
    const effects = new OutputEffects(machine, line, deps);
    const commands = new OutputCommands({ self: this, machine, line, feedback, effects }, deps);
    this.#machine = machine;
    this.line = line;
    this.feedback = feedback;
    this.#effects = effects;
    this.commands = commands;
    this.#stops = new PulseStops({ machine, commands, feedback }, deps);
    this.limit = new LimitWatch(machine, deps);
  }

  get settings(): OutputSettings {
    return this.#machine.settings;
  }

  get rules(): CompleteOutput {
    return this.#machine.rules;
  }

  get state(): OutputState | null {
    return this.#machine.state;
  }

  /** True as well while the next try runs, because a board that hangs takes its time to fail. */
  get isStuck(): boolean {
    return this.#isStuck;
  }

  /** When the pulse that runs began, which names it, on the guard's clock; null: none runs. */
  get pulseSinceMs(): number | null {
    return pulseSinceOf(this.#machine.output);
  }

  /** When it ends. */
  get pulseEndsMs(): number | null {
    return this.pulseSinceMs === null ? null : this.#effects.waitEndsMs;
  }

  /** Inactive, and nothing is about to move. */
  get isIdle(): boolean {
    return this.#machine.output.phase === 'inactive' && this.commands.isIdle;
  }

  get member(): Member {
    return memberOf(this.numOutput, this.#machine.output, this.rules.mode, this.line, this.feedback.off);
  }

  /** The guard has decided whether it is on. */
  get isStarted(): boolean {
    return this.#machine.output.phase !== 'unknown';
  }

  /** Whether the output waits for that before it goes where its policy wants it. */
  isWaitingFor(what: Awaited): boolean {
    const { output } = this.#machine;
    return output.phase === 'waiting' && output.until === what;
  }

  /** Whether it is on by a command or its policy, or will be on once it may. */
  get isToBeOn(): boolean {
    const { output } = this.#machine;
    const isOn = this.state === 1 && !isGoingOff(output) && !uncommandedOf(output).isOnUncommanded;
    return isOn || (isTurningOn(output) && mayStartActive(this.settings));
  }

  /** `sinceMs`: it was on since then under a guard before this one, whose time goes on. */
  start(active: boolean, sinceMs: number | null = null): Promise<void> {
    if (active && sinceMs !== null) this.limit.resume(sinceMs);
    if (this.#deps.isBoardAway()) this.#machine.feed({ kind: 'defer', active, until: 'board-back' });
    else this.#machine.feed({ kind: 'start', active });
    return this.#whenSettled();
  }

  /** On, once its interlock lets it. */
  awaitTurn(sinceMs: number | null): void {
    if (sinceMs !== null) this.limit.resume(sinceMs);
    const until = this.#deps.isBoardAway() ? 'board-back' : 'interlock-cleared';
    this.#machine.feed({ kind: 'defer', active: true, until });
  }

  breakOff(): void {
    this.limit.end('interlock');
  }

  async settled(): Promise<void> {
    await this.#whenSettled();
    await this.feedback.ended();
  }

  async keepOff(): Promise<boolean> {
    if (!isRestored(this.settings)) return true;
    return this.#deps.saveState(this.numOutput, false).then(
      () => true,
      () => false,
    );
  }

  execute(command: OrderedCommand): Promise<GuardConfirmation> {
    return this.commands.execute(command);
  }

  /** See PulseStops. */
  stop(command: OrderedStop): Promise<GuardConfirmation> {
    return this.#stops.stop(command);
  }

  /**
   * Switches off as soon as the board does it, commands or not. Resolves with whether the output is off; false: the board
   * could not do it for now.
   */
  async release(): Promise<boolean> {
    // I4: its relay may stay as it was, and is put off as soon as the board is back.
    const isAway = this.#deps.isBoardAway();
    this.#machine.feed(isAway ? { kind: 'defer', active: false, until: 'board-back' } : { kind: 'release' });
    await this.#whenSettled();
    return this.#machine.output.phase === 'inactive';
  }

  /** As `release`, and nothing moves any more afterwards: the guard ends. Every command is answered. */
  async halt(): Promise<boolean> {
    this.limit.keep();
    await this.commands.halt();
    const isOff = await this.release();
    this.feedback.leave('feedback-missing');
    return isOff;
  }

  /** The board did not answer until now; this is the line's level. */
  readAs(level: Level): void {
    if (this.line.isReadBack || this.line.isDriving) return;
    const isOn = level === this.settings.activeLevel;
    if (isOn === (this.state === 1)) {
      this.line.wasReadBack();
      this.#deps.onChange();
    } else if (isOn) {
      this.#foundOnAfterMs = this.line.movedMs;
      this.#putOffFoundOn();
    } else if (this.#machine.output.phase === 'active') {
      this.#deps.log.warn(
        `output ${this.numOutput}: the relay is off, although its last order was the other; it stays off`,
      );
      // I2: "on" would come late now.
      this.#machine.feed({ kind: 'limit' });
    }
  }

  /**
   * Switches off at once, or when the command under way has ended without an order: an order shows anew how the relay is.
   */
  #putOffFoundOn(): void {
    if (this.#foundOnAfterMs === null) return;
    const isNewest = this.line.movedMs === this.#foundOnAfterMs;
    if (isNewest && (this.#machine.output.phase !== 'inactive' || this.commands.current !== null)) return;
    this.#foundOnAfterMs = null;
    if (!isNewest) return;
    this.#deps.log.warn(`output ${this.numOutput}: the relay is on, although its last order was the other`);
    void this.start(false);
  }

  boardLost(): void {
    this.#machine.feed({ kind: 'board-lost' });
    this.feedback.leave('feedback-missing');
  }

  /** Keeps commands waiting until `let go` is called; resolves when the running one is through. */
  async hold(): Promise<void> {
    this.commands.hold();
    await this.#whenSettled();
  }

  /** Takes effect at once. The caller makes sure that mode and polarity change only while the output is settled. */
  async configure(settings: OutputSettings): Promise<void> {
    const before = this.rules;
    // A restart under the new policy would not bring it on.
    const isOtherPolicy = settings.powerOn !== this.settings.powerOn;
    this.#machine.configure(settings);
    if (this.rules.feedbackInput !== before.feedbackInput) this.feedback.forget();
    if (isOtherPolicy) this.#machine.feed({ kind: 'unwanted' });
    this.#deps.onChange();
    this.limit.watch();
    this.limit.note();
    if (settings.activeLevel !== before.activeLevel) await this.start(false);
  }

  #follow(step: OutputStep): void {
    const { event, before, after, effects } = step;
    const wasStuck = this.#isStuck;
    this.#isStuck = after.phase === 'stuck' || (after.phase === 'releasing' && wasStuck);
    const isLook = event.kind === 'seen' || event.kind === 'not-seen';
    const isNews = isLook || stateOf(before) !== stateOf(after) || wasStuck !== this.#isStuck;
    if (isNews) this.#deps.onChange();
    this.limit.follow(step);
    if (event.kind === 'driven') this.#followEdge();
    for (const effect of effects) this.#carryOut(effect);
    this.#stops.follow(after);
    this.#putOffFoundOn();
    if (isSettled(this.#machine.output)) for (const resolve of this.#settledCalls.splice(0)) resolve();
    this.commands.next();
  }

  /** Effects about the command that has begun go to the commands, all others to the world. */
  #carryOut(effect: OutputEffect): void {
    switch (effect.do) {
      case 'drive':
        if (effect.command) return this.commands.waitUntilMaySwitch(effect.active, effect.pulseMs);
        return this.#effects.drive(effect.active, null);
      case 'look':
        return this.commands.look();
      case 'settle':
        return this.commands.settle(effect);
      case 'postpone':
        return this.commands.postpone();
      case 'save':
        return this.#effects.save(effect.active, this.commands.current);
      case 'wait':
        return this.#effects.wait(effect.delayMs, effect.sinceMs);
      case 'stop-waiting':
        return this.#effects.stopWaiting();
      case 'put-back':
        return this.#deps.putBack();
      default:
        effect satisfies never;
    }
  }

  /** The feedback input is asked after every edge. */
  #followEdge(): void {
    this.commands.edgeIsOut();
    const ended = this.limit.ended === null ? 'feedback-missing' : 'ended-by-policy';
    const why = this.#stops.isEnding ? 'ended-by-stop' : ended;
    if (this.state === null || this.commands.isHalted) return;
    this.feedback.moved(this.state, this.rules, why);
    this.commands.edgeIsWatched();
  }

  #whenSettled(): Promise<void> {
    if (isSettled(this.#machine.output)) return Promise.resolve();
    return new Promise((resolve) => this.#settledCalls.push(resolve));
  }
}
