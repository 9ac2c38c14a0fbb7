import type { OutputDeps } from '../output-deps';
import { isSettled } from '../output-phase';
import type { Answer, OutputEvent, Refusal } from '../output-types';
import type { GuardConfirmation } from '../protocol';
import { CommandExecution, type CommandedOutput } from './command-execution';
import { CommandQueue } from './command-queue';
import {
  confirmationOf,
  EXPIRED,
  type Job,
  type OrderedCommand,
  refusalFor,
  refusalOf,
  standingRefusalOf,
  switchesOff,
} from './ordered-command';

/**
 * The commands for one output, from arrival to answer: how they wait for each other, when the board gets their order, and
 * how they are proven. They begin one after the other.
 */
export class OutputCommands {
  readonly #output: CommandedOutput;
  readonly #deps: OutputDeps;
  readonly #waiting: CommandQueue;
  /** The execution of the command that has begun; its proof comes afterwards, beside the next commands. */
  #execution: CommandExecution | null = null;
  /** True while the output gets new settings: no command begins. */
  #isHeld = false;
  #isHalted = false;

  constructor(output: CommandedOutput, deps: OutputDeps) {
    this.#output = output;
    this.#deps = deps;
    this.#waiting = new CommandQueue(deps.clock);
  }

  get isIdle(): boolean {
    return this.#execution === null && this.#waiting.isEmpty;
  }

  /** Whether no command begins any more. */
  get isHalted(): boolean {
    return this.#isHalted;
  }

  /** The command that has begun; null: none has. */
  get current(): Job | null {
    return this.#execution?.job ?? null;
  }

  execute(command: OrderedCommand): Promise<GuardConfirmation> {
    const { machine } = this.#output;
    const { numOutput } = machine;
    return new Promise((settle) => {
      const job: Job = {
        ...command,
        answer: (answer) => settle(confirmationOf(command, numOutput, machine.state, answer)),
      };
      if (this.#isHalted) return job.answer(refusalFor('guard-stopping'));
      const refusal = standingRefusalOf(job, this.#deps, numOutput);
      if (refusal) return job.answer(refusal);
      if (machine.rules.mode === 'on-off' && switchesOff(job) && !this.#refusalOf(job)) this.#overtake();
      this.#waiting.add(job);
      this.next();
    });
  }

  /** Whether the board has or had an order for the command that has begun. */
  get isOrdered(): boolean {
    return this.#execution?.isOrdered ?? false;
  }

  /** Answers the commands that have moved nothing yet and that a refusal stands against, with that refusal. */
  drop(refusalOf: (job: Job) => Refusal | null): void {
    this.#waiting.drop(refusalOf);
    const why = this.#execution && !this.isOrdered ? refusalOf(this.#execution.job) : null;
    if (why) this.#output.machine.feed({ kind: 'not-driven', ...why });
  }

  /** Drops commands that are superseded or locked by now. */
  dropForbidden(): void {
    this.drop((job) => standingRefusalOf(job, this.#deps, this.#output.machine.numOutput));
  }

  /** See Guard. */
  withdraw(commandId: string): void {
    this.drop((job) => (job.epoch === null && job.commandId === commandId ? EXPIRED : null));
  }

  hold(): void {
    this.#isHeld = true;
  }

  letGo(): void {
    this.#isHeld = false;
    this.next();
  }

  /** Answers all commands, and takes no more. Resolves when the board has no order in hand for one. */
  async halt(): Promise<void> {
    this.#isHalted = true;
    this.#waiting.drop(() => refusalFor('guard-stopping'));
    // The board answers an order in hand within DRIVE_TIMEOUT_MS; only then is the outcome known.
    const { driving } = this.#output.line;
    if (this.#execution && driving !== null) await driving;
    else if (this.#execution) this.#output.machine.feed({ kind: 'not-driven', ...refusalFor('guard-stopping') });
  }

  next(): void {
    const { line, machine } = this.#output;
    while (!this.#isHalted && !this.#isHeld && this.#execution === null && isSettled(machine.output)) {
      const job = this.#waiting.next();
      if (!job) return;
      const refusal = this.#refusalOf(job);
      if (refusal) {
        job.answer(refusal);
      } else {
        this.#execution = new CommandExecution(job, this.#output, this.#deps);
        const { command } = job;
        machine.feed({ kind: 'command', command, sinceEdgeMs: this.#sinceEdgeMs, canLook: line.canRead });
      }
    }
  }

  /**
   * Asks the board how the output is, and feeds its answer, or that the command's time is over. An answer that comes later
   * still shows how the output is (I11).
   */
  look(): void {
    const execution = this.#execution;
    if (!execution) return;
    const { line, machine } = this.#output;
    const { clock, log } = this.#deps;
    const { activeLevel } = machine.settings;
    const { orders } = line;
    const feed = (event: OutputEvent): void => {
      cancelDeadline();
      if (this.#execution === execution) machine.feed(event);
    };
    const leftMs = execution.job.startBeforeMs - clock.nowMs();
    const cancelDeadline = clock.after(Math.max(0, leftMs), () => feed({ kind: 'not-driven', ...EXPIRED }));
    void line.read().then((reading) => {
      if (reading.kind === 'failed') return feed({ kind: 'not-seen' });
      const active = reading.level === null ? null : reading.level === activeLevel;
      if (active !== null && active !== (machine.state === 1))
        log.warn(
          `output ${machine.numOutput}: the relay is ${active ? 'on' : 'off'}, although its last order was the other`,
        );
      if (this.#execution === execution) return feed({ kind: 'seen', active, sinceEdgeMs: this.#sinceEdgeMs });
      if (active !== null && line.orders === orders) machine.feed({ kind: 'found', active });
    });
  }

  /**
   * Gives the board the order of the edge once it may have it, or feeds why it may not. I1: the record first. I2: the deadline
   * is checked right before, with nothing in between.
   */
  waitUntilMaySwitch(active: boolean, pulseMs?: number): void {
    const execution = this.#execution;
    if (!execution) return;
    const { line, machine, effects } = this.#output;
    const { orders } = line;
    // The output was released meanwhile: the command is no longer what it does.
    const isGone = (): boolean => this.#execution !== execution || line.orders !== orders;
    execution.waitUntilMaySwitch(active, isGone, (problem) => {
      if (isGone()) return;
      const refusal = problem ?? this.#refusalOf(execution.job);
      if (refusal) return machine.feed({ kind: 'not-driven', ...refusal });
      execution.ordered();
      machine.feed({ kind: 'ordered' });
      effects.drive(active, execution.job.startBeforeMs, pulseMs);
    });
  }

  edgeIsOut(): void {
    this.#execution?.end();
  }

  /** The input is looked at for that edge. */
  edgeIsWatched(): void {
    this.#execution?.proveEdge();
  }

  settle(answer: Answer): void {
    const execution = this.#execution;
    this.#execution = null;
    execution?.settle(answer);
  }

  /** The command that has begun begins anew, before all others. */
  postpone(): void {
    if (this.#execution) this.#waiting.putBack(this.#execution.job);
    this.#execution?.end();
    this.#execution = null;
  }

  get #sinceEdgeMs(): number {
    return this.#deps.clock.nowMs() - this.#output.line.movedMs;
  }

  #refusalOf(job: OrderedCommand): Refusal | null {
    return refusalOf(job, this.#deps, this.#output.machine.numOutput);
  }

  /** "Off" was commanded: no earlier command switches on after it. */
  #overtake(): void {
    this.#waiting.drop((job) => (switchesOff(job) ? null : refusalFor('overtaken')));
    const { output } = this.#output.machine;
    // The output waited because its policy wanted it on.
    if (output.phase === 'waiting' && output.until === 'interlock-cleared')
      return this.#output.machine.feed({ kind: 'start', active: false });
    const isGoingOn = output.phase === 'switching' && output.active && !output.isOrdered;
    const isLookedAt = output.phase === 'looking' && output.active;
    if (this.#execution && (isGoingOn || isLookedAt))
      this.#output.machine.feed({ kind: 'not-driven', ...refusalFor('overtaken') });
  }
}
