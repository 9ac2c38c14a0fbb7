/**
 * The guard holds the relays and owns the outcome of each command. It knows nothing of networks. It stays small: outputs at
 * work, the journal, the state file, one board.
 */

import type { Level, OutputSettings } from '@relaygate/shared/device';
import { refuseFarEpoch } from '../runtime/far-epoch';
import { fault } from '../runtime/fault';
import { refusedByGuard } from '../runtime/guard-refused';
import { inTime } from '../runtime/in-time';
import { BoardWatch } from './board-watch';
import { CommandOutcomes, type GuardCommand } from './commands/command-outcomes';
import { levelNow } from './commands/feedback';
import { InterlockTurns } from './commands/interlock-turns';
import type { GuardDeps } from './guard-deps';
import { type GuardView, type OutputView, viewOf } from './guard-view';
import { afterAgentEnd, afterHeartbeat, type Heartbeat, noHeartbeat } from './heartbeat';
import type { Inputs } from './inputs/inputs';
import { Locks } from './locks';
import { isLimited } from './on-limit';
import { OutputChanges } from './output-changes';
import type { OutputDeps } from './output-deps';
import { outputFaults } from './output-faults';
import { RELEASE_RETRY_MS } from './output-steps';
import { OutputsStart } from './outputs-start';
import { type EarlierGuard, isRestored, mayStartActive, type RememberedState } from './power-on';
import type { OutcomesReply, PressesReply } from './protocol';
import type { EpochRequest, GuardConfirmation, OutputChange, OutputLock, PressesRequest } from './requests';
import { RunningOutput } from './running-output';

/** How long a stopping guard goes on trying to switch off a relay whose board fails. */
const STOP_PATIENCE_MS = 5_000;
/** A board answers an order within a second. If a try took longer, the guard itself was held up and has tried nothing. */
const LONGEST_TRY_MS = 1_000 + RELEASE_RETRY_MS;
/** How long the guard waits until its files have what the next guard must know. */
const FILES_PATIENCE_MS = 500;

export class Guard {
  readonly #deps: GuardDeps;
  readonly #outputs: RunningOutput[];
  readonly #turns: InterlockTurns;
  readonly #changes: OutputChanges;
  readonly #locks: Locks;
  readonly #starts: OutputsStart;
  readonly #outcomes: CommandOutcomes;
  readonly #board: BoardWatch;
  /** null: none means anything, and none of their code is loaded (I4). */
  readonly #inputs: Inputs | null = null;
  #stopping: Promise<number[]> | null = null;
  #heartbeat: Heartbeat;

  constructor(settings: readonly OutputSettings[], deps: GuardDeps) {
    this.#deps = deps;
    this.#heartbeat = noHeartbeat(deps.clock.nowMs());
    this.#locks = new Locks(deps.clock);
    this.#turns = new InterlockTurns(deps.clock, () => this.#outputs);
    const outputDeps: OutputDeps = {
      ...deps,
      recordStart: ({ commandId, startBeforeMs }) => deps.journal.record({ started: commandId, startBeforeMs }),
      saveState: (numOutput, active) => deps.stateFile.saveOutput(numOutput, active),
      isSuperseded: (epoch) => epoch !== deps.journal.memory.epoch,
      locks: this.#locks,
      isClicking: () => deps.clock.nowMs() < this.#changes.clicksUntilMs,
      onSince: (output, onSinceMs) => deps.journal.note({ output, onSinceMs }),
      onChange: () => deps.listeners.notify(),
      isBoardAway: () => this.#board.problem !== null,
      putBack: () => this.#board.putBack(),
      turns: this.#turns,
      heartbeat: () => this.#heartbeat,
    };
    this.#outputs = settings.map((output, numOutput) => new RunningOutput(numOutput, output, outputDeps));
    this.#outcomes = new CommandOutcomes(this.#outputs, deps);
    this.#changes = new OutputChanges(this.#outputs, deps.stateFile);
    this.#starts = new OutputsStart(this.#outputs, this.#turns, this.#changes, deps);
    const { inputs = [] } = deps;
    if (inputs.length > 0) {
      // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
      const { openInputs }: typeof import('./inputs/open-inputs') = require('./inputs/open-inputs');
      this.#inputs = openInputs(inputs, this.#outputs, this.#outcomes, outputDeps);
    }
    this.#board = new BoardWatch(this.#outputs, this.#starts, this.#inputs, deps);
  }

  /** Opens the board and drives off what no policy wants on. Rejects when the board can never work. */
  async openBoard(): Promise<void> {
    await this.#board.open();
    const never = this.#outputs.filter(({ settings }) => !mayStartActive(settings));
    await Promise.all(never.map((output) => output.start(false)));
  }

  /**
   * Brings the outputs to where the power-on policy wants them (I5). What must be off is off before any file is written;
   * `openBoard` has switched most of it off. From here on commands may come.
   */
  async start(
    remembered: RememberedState | null,
    earlier: EarlierGuard | null,
    begin: () => Promise<void>,
  ): Promise<void> {
    // Nobody knows whether the agent of that guard is still there.
    this.#heartbeat = earlier?.heartbeat ? afterAgentEnd(earlier.heartbeat) : this.#heartbeat;
    const wanted = await this.#starts.putOff(remembered, earlier);
    await begin();
    this.#keepHeartbeat();
    await this.#starts.putOn(wanted, earlier);
    await this.#changes.forgetOthers(remembered);
    this.#inputs?.begin();
  }

  view(): GuardView {
    const { bootId, journal, faults, board } = this.#deps;
    const { epoch, lastCommands, pressNumbers } = journal.memory;
    const { problem } = this.#board;
    return {
      bootId,
      epoch,
      outputs: this.outputs,
      ...(this.#inputs ? { inputs: this.#inputs.views } : {}),
      faults: [
        ...(problem === null ? [] : [fault('board-away', { problem })]),
        ...outputFaults(this.#outputs),
        ...(this.#inputs?.faults ?? []),
        ...faults.list(),
      ],
      lastCommands,
      ...(pressNumbers.last > pressNumbers.entered ? { lastPressSeq: pressNumbers.last } : {}),
      ...(board ? { board } : {}),
    };
  }

  get outputs(): OutputView[] {
    return this.#outputs.map((output) => viewOf(output, this.#locks.untilMs(output.numOutput)));
  }

  /** Calls `listener` after each change of what `view` shows. The result ends that. */
  watch(listener: () => void): () => void {
    return this.#deps.listeners.add(listener);
  }

  /** See CommandOutcomes. */
  execute(command: GuardCommand): Promise<GuardConfirmation | null> {
    return this.#outcomes.execute(command);
  }

  /**
   * I12: commands of older epochs that have not begun are dropped from here on. Resolves with the epoch that holds. Rejects
   * with `epoch-too-far`, and then nothing has changed.
   */
  async enterEpoch({ epoch, isNewEnrolment = false }: EpochRequest): Promise<number> {
    const { journal } = this.#deps;
    refuseFarEpoch(epoch, isNewEnrolment ? 0 : journal.memory.epoch);
    // Two servers may use the same epochs, so what still waits for the former one is dropped first.
    const begun = isNewEnrolment ? this.#setEpoch(0) : Promise.resolve();
    await Promise.all([begun, epoch > journal.memory.epoch ? this.#setEpoch(epoch) : begun]);
    return journal.memory.epoch;
  }

  async #setEpoch(epoch: number): Promise<void> {
    const written = this.#deps.journal.record({ epoch });
    for (const output of this.#outputs) output.commands.dropForbidden();
    // A journal that cannot be written is a fault already; the epoch holds in this process.
    await written.catch(() => {});
  }

  /**
   * Replaces all maintenance locks. Remote commands that have not moved a locked output yet are refused at once. Resolves
   * when the board has no order in hand for these outputs, so that somebody may work at them.
   */
  async lock(locks: readonly OutputLock[]): Promise<void> {
    this.#locks.replace(locks);
    for (const output of this.#outputs) output.commands.dropForbidden();
    this.#deps.listeners.notify();
    await Promise.all(locks.map(({ numOutput }) => this.#outputs[numOutput]?.line.driving));
  }

  /** The agent's heartbeat: at least every AGENT_HEARTBEAT_MS, and at once when its link changes. */
  agentIsThere(linkIsUp: boolean): void {
    this.#heartbeat = afterHeartbeat(this.#heartbeat, linkIsUp, this.#deps.clock.nowMs());
    this.#keepHeartbeat();
    for (const output of this.#outputs) output.limit.watch();
  }

  /** A client that may have been the agent has ended its connection. */
  agentHasEnded(): void {
    this.#heartbeat = afterAgentEnd(this.#heartbeat);
  }

  outcomesOf(commandIds: readonly string[]): OutcomesReply {
    return this.#outcomes.of(commandIds);
  }

  /**
   * Presses of buttons behind `entered`. They are in the journal by then: if the next guard did not know them, it would give
   * their numbers to others. Rejects if the journal cannot be written.
   */
  async presses({ entered }: PressesRequest): Promise<PressesReply> {
    const { journal } = this.#deps;
    const written = journal.record({ forgotten: [], enteredPress: entered });
    const { presses } = journal.memory;
    await written;
    return presses;
  }

  /** What an input of the board shows, for at most FEEDBACK_LOOK_MS; null: it cannot be read. */
  inputLevel(input: number): Promise<Level | null> {
    return levelNow(this.#deps, input);
  }

  /**
   * Whoever gave this command at the device has gone: it is answered as expired, unless it has moved something. A command
   * of the server goes on until its deadline.
   */
  withdraw(commandId: string): void {
    for (const output of this.#outputs) output.commands.withdraw(commandId);
  }

  /** Throws `refused` if nobody waits any more for a request that would move something. I2. */
  refuseLate(startBeforeMs: number, givenUp: AbortSignal): void {
    if (this.#deps.clock.nowMs() < startBeforeMs && !givenUp.aborted) return;
    throw refusedByGuard('refused', 'too-late-for-guard', {});
  }

  /**
   * Applies settings to all the outputs named or to none; see OutputChanges. Resolves when the next guard would restore the
   * outputs by these settings. A journal that cannot be written is a fault already, and is waited for only so long.
   */
  async configure(changes: readonly OutputChange[], force: boolean, refuseLate?: () => void): Promise<void> {
    await this.#changes.apply(changes, force, refuseLate);
    // The new settings may need the heartbeat; without it the next guard gives an output no time at all.
    this.#keepHeartbeat();
    if (this.#isTimeKept) await inTime(this.#deps.clock, FILES_PATIENCE_MS, this.#deps.journal.tried(), null);
  }

  /**
   * Switches everything off, so that a stopped guard leaves no relay closed. States of `restore` outputs stay remembered.
   * Resolves with the outputs that a failing board kept on for STOP_PATIENCE_MS.
   */
  stop(): Promise<number[]> {
    this.#board.end();
    this.#inputs?.end();
    this.#outcomes.end();
    this.#stopping ??= this.#stopNow();
    return this.#stopping;
  }

  /** As `stop`, and the disk has no state of this guard in hand any more, so that whoever wipes the state finds none again. */
  async stopForGood(): Promise<number[]> {
    const stuck = await this.stop();
    await this.#deps.stateFile.close();
    return stuck;
  }

  async #stopNow(): Promise<number[]> {
    const { clock, journal, stateFile, driver } = this.#deps;
    let patienceMs = STOP_PATIENCE_MS;
    let left = [...this.#outputs];
    while (left.length > 0) {
      const triedMs = clock.nowMs();
      const isOff = await Promise.all(left.map((output) => output.halt()));
      left = left.filter((_output, n) => !isOff[n]);
      if (left.length === 0 || patienceMs <= 0) break;
      // Stuck ones are tried again by themselves.
      await new Promise<void>((resolve) => clock.after(RELEASE_RETRY_MS, resolve));
      patienceMs -= Math.min(clock.nowMs() - triedMs, LONGEST_TRY_MS);
    }
    // Each command has been answered; the answers are sent before the sockets close.
    await this.#outcomes.answered();
    // The next guard of this boot answers clients that did not get their answer. That of the next boot must not bring back
    // what a policy has switched off.
    await inTime(clock, FILES_PATIENCE_MS, Promise.all([journal.tried(), stateFile.close()]), null);
    await driver.close(this.#outputs.filter((output) => !left.includes(output)).map(numberOf));
    return left.map(numberOf);
  }

  /** Lets the next guard go on with the times of agent and link, instead of counting anew. */
  #keepHeartbeat(): void {
    if (this.#isTimeKept) this.#deps.journal.note({ presence: this.#heartbeat });
  }

  get #isTimeKept(): boolean {
    return this.#outputs.some(({ settings, rules }) => isRestored(settings) && isLimited(rules));
  }
}

function numberOf({ numOutput }: RunningOutput): number {
  return numOutput;
}
