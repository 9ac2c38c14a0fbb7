import type { Clock } from '@relaygate/shared';
import {
  type BoardSettings,
  type DeviceSettings,
  type InputChange,
  type InputSettings,
  isSameBoard,
  isSameOutput,
  type OutputSettings,
  parseNewDeviceSettings,
} from '@relaygate/shared/device';
import { Mutex } from 'async-mutex';
import type { Files } from '../../files/files';
import type { GuardStatus } from '../../guard/protocol';
import {
  type BoardChange,
  type OutputTransition,
  outputTransitions,
  withBoard,
} from '../../provisioning/boards/board-change';
import { lostInputs, usedInputsLost, withInputsOf } from '../../provisioning/boards/board-inputs';
import { type Fault, fault } from '../../runtime/fault';
import { FaultSlot } from '../../runtime/fault-slot';
import type { Log } from '../../runtime/log';
import { causeOf, problemOf } from '../../runtime/problem';
import { noSuchOutput, refused } from '../../runtime/refused';
import type { GuardContact } from '../commands/guard-contact';
import { lateProblem, type RequestLife } from '../commands/late-request';
import { factsOfSettings, isOfSettings } from '../history/facts';
import type { History } from '../history/history';
import type { ChangeKind } from '../history/kinds';
import { isSameInputs, withInput } from './input-change';
import { SettingsOnDisk } from './settings-on-disk';

export interface SettingsKeeperDeps {
  files: Files;
  path: string;
  guard: Pick<GuardContact, 'configure' | 'status'>;
  history: Pick<History, 'change'>;
  clock: Clock;
  log: Log;
  onChange(): void;
}

export interface OutputChange {
  numOutput: number;
  change: Partial<OutputSettings>;
}

/** Changes outputs that are active or busy too, and switches them off first. */
interface Consent {
  force: boolean;
  actor: string;
  /** A change whose turn comes later is refused. */
  life: RequestLife;
}

/** An output's settings before and after. */
export interface ChangedOutput {
  before: OutputSettings;
  after: OutputSettings;
}

/** What `changeBoard` has written. */
export interface ChangedBoard {
  before: BoardSettings;
  after: BoardSettings;
  /** By the output's number. `kept`: with its name and mode; its polarity is the board's. */
  outputs: OutputTransition[];
  /** Inputs of the former board that nothing used, and that this board does not have. */
  lostInputs?: number[];
  /** True: something of it is not in force before guard and agent are restarted. */
  mustRestart: boolean;
}

/** What an input means before and after; null: nothing. */
export interface ChangedInput {
  before: InputSettings | null;
  after: InputSettings | null;
}

const OTHER_BOARD = fault('other-board', {});

/**
 * The settings in force. A change is applied by the guard, which alone knows whether the output is free, then made
 * durable, then confirmed; one that cannot be saved is taken back (I8).
 */
export class SettingsKeeper {
  readonly #deps: SettingsKeeperDeps;
  #settings: DeviceSettings;
  readonly #file: SettingsOnDisk;
  readonly #mutex = new Mutex();
  #isBusy = false;
  /** The guard's settings, or those that it is to have, have changed meanwhile. */
  #isPassedOver = false;
  readonly #pushFault: FaultSlot;

  constructor(settings: DeviceSettings, text: string, deps: SettingsKeeperDeps) {
    this.#settings = settings;
    this.#file = new SettingsOnDisk(deps.files, deps.path, text);
    this.#deps = deps;
    this.#pushFault = new FaultSlot(deps.log, () => deps.onChange());
  }

  get settings(): DeviceSettings {
    return this.#settings;
  }

  /** The settings of the next start: with the chosen board, if there is one. */
  get next(): DeviceSettings {
    return this.#file.chosen ?? this.#settings;
  }

  /** Why the guard runs with other settings than the file's; none when it does not. */
  get faults(): Fault[] {
    return this.#pushFault.list;
  }

  /** Applies them as one change, in their order. If it rejects, nothing has changed. */
  async change(changes: readonly OutputChange[], consent: Consent): Promise<ChangedOutput[]> {
    return this.#inTurn(() => this.#changeNow(changes, consent), consent.life);
  }

  /**
   * Writes another board into the file. Nothing moves and nothing is in force before guard and agent are restarted, because
   * the lines of two boards have nothing to do with each other. If it rejects, nothing has changed.
   */
  async changeBoard(change: BoardChange, actor: string, life: RequestLife): Promise<ChangedBoard> {
    return this.choose((settings) => this.#withBoard(settings, change), actor, life);
  }

  /** Keeps inputs that are the same on the board in force, or else on the one that is chosen already. */
  #withBoard(settings: DeviceSettings, change: BoardChange): DeviceSettings {
    const before = { ...this.next, outputs: settings.outputs };
    const after = withBoard(before, { ...change, board: withInputsOf(settings.board, change.board) });
    // Outputs are set up for the board in force, meanings for the chosen one.
    const lost = [
      ...usedInputsLost(settings, { ...after, inputs: [] }),
      ...usedInputsLost(before, { ...after, outputs: [], web: {} }),
    ];
    if (lost.length > 0) throw refused('out-of-range', 'inputs-lost', { inputs: lost });
    // A choice that is taken back leaves outputs as they are, also where a proof has corrected their polarity.
    const isTakenBack = this.#file.chosen !== null && isSameBoard(after.board, settings.board);
    return isTakenBack ? { ...after, outputs: settings.outputs } : after;
  }

  /** Inputs as the file has them, and whether the guard goes by others until it is restarted. */
  get inputs(): { inputs: InputSettings[]; mustRestart: boolean } {
    const { inputs = [] } = this.next;
    const { status } = this.#deps.guard;
    return { inputs, mustRestart: this.#file.chosen !== null || (status !== null && !hasInputs(status, inputs)) };
  }

  /** Gives an input another meaning; null: none. The guard goes by it once it is restarted. */
  async changeInput(
    numInput: number,
    change: InputChange | null,
    actor: string,
    life: RequestLife,
  ): Promise<ChangedInput> {
    return this.#inTurn(() => this.#changeInputNow(numInput, change, actor), life);
  }

  /** As `changeBoard`, with any settings made of those in force. */
  async choose(
    chosen: (settings: DeviceSettings) => DeviceSettings,
    actor: string,
    life: RequestLife,
  ): Promise<ChangedBoard> {
    return this.#inTurn(() => this.#chooseNow(chosen(this.#settings), actor), life);
  }

  /**
   * While `work` runs, nothing changes the settings, and nothing puts the guard back to them. Rejects with `refused`, and
   * does nothing, if its turn comes too late for whoever asked.
   */
  async alone<T>(work: () => Promise<T>, life: RequestLife): Promise<T> {
    return this.#inTurn(work, life);
  }

  /** Throws while the file names another board than the guard drives. */
  refuseOtherBoard(): void {
    const { status } = this.#deps.guard;
    if (this.#file.chosen || (status && this.#isOtherBoard(status))) throw refused('refused', 'other-board', {});
  }

  /** The guard is back or its outputs have changed: it gets the settings that it does not have. */
  guardChanged(status: GuardStatus): void {
    if (this.#isOtherBoard(status)) {
      this.#pushFault.set(OTHER_BOARD);
      return;
    }
    if (this.#isBusy) {
      this.#isPassedOver = true;
      return;
    }
    if (this.#differences(status).length === 0) {
      this.#pushFault.set(this.#partFault(status));
      return;
    }
    this.#mutex.runExclusive(() => this.#busily(() => this.#push())).catch(() => {});
  }

  async #changeNow(changes: readonly OutputChange[], { force, actor, life }: Consent): Promise<ChangedOutput[]> {
    const { outputs } = this.#settings;
    const all = changes.map(({ numOutput, change }) => {
      const before = outputs[numOutput];
      if (!before) throw noSuchOutput(numOutput, outputs.length);
      return { numOutput, before, after: { ...before, ...change } };
    });
    const changed = all.filter(({ before, after }) => !isSameOutput(before, after));
    // What is as it was is not in the file any more after a factory reset.
    await this.#file.refuseIfEdited();
    if (changed.length === 0 && !this.#file.hasRefused) return all;
    this.refuseOtherBoard();
    const changedTo = new Map(changed.map(({ numOutput, after }) => [numOutput, after]));
    const settings = { ...this.#settings, outputs: outputs.map((output, n) => changedTo.get(n) ?? output) };
    refuseUnusable(settings, 'no-such-setup');
    // The guard's buttons may be others until it is restarted.
    const { status } = this.#deps.guard;
    if (status) refuseUnusable({ ...settings, inputs: inputsOf(status) }, 'no-such-setup-yet');
    await this.#entered(settings, actor, 'output', async () => {
      const { guard, log } = this.#deps;
      await guard.configure(
        changed.map(({ numOutput, after }) => ({ numOutput, settings: after })),
        force,
        life,
      );
      await this.#save(settings, async () => {
        const back = changed.map(({ numOutput, before }) => ({ numOutput, settings: before }));
        // Forced, because a refused change must not stay in force.
        await guard.configure(back, true).catch((worse: unknown) => {
          log.warn(`a change of settings could not be taken back: ${problemOf(worse)}`);
        });
      });
    });
    this.#settings = settings;
    this.#deps.onChange();
    return all;
  }

  /** Rejects with `refused`, after `undo`, if the disk does not take it. */
  async #save(settings: DeviceSettings, undo: () => Promise<void> = async () => {}): Promise<void> {
    try {
      await this.#file.save(settings);
    } catch (error) {
      await undo();
      throw this.#file.refusal(error, await this.#file.takeBack(settings));
    }
  }

  async #changeInputNow(numInput: number, change: InputChange | null, actor: string): Promise<ChangedInput> {
    const { chosen } = this.#file;
    const base = this.next;
    const settings = withInput(base, numInput, change);
    const changed = { before: inputOf(base, numInput), after: inputOf(settings, numInput) };
    await this.#file.refuseIfEdited();
    if (isSameInputs(base.inputs ?? [], settings.inputs ?? []) && !this.#file.hasRefused) return changed;
    refuseUnusable(settings, 'no-such-input-setup');
    await this.#entered(settings, actor, 'input', () => (chosen ? this.#file.choose(settings) : this.#save(settings)));
    if (!chosen) this.#settings = settings;
    this.#isPassedOver = true;
    this.#deps.onChange();
    return changed;
  }

  /** Does `work` behind its entry in the history; a failure gets another entry. */
  #entered(settings: DeviceSettings, actor: string, kind: ChangeKind, work: () => Promise<void>): Promise<void> {
    const wanted = {
      actor,
      kind,
      before: factsOfSettings(this.next),
      after: factsOfSettings(settings),
      concerns: isOfSettings,
      stands: () => this.#file.holds(settings),
    };
    return this.#deps.history.change(wanted, work);
  }

  async #chooseNow(settings: DeviceSettings, actor: string): Promise<ChangedBoard> {
    // The board is chosen again before the restart: the old board is still in force.
    await this.#file.refuseIfEdited();
    refuseUnusable(settings, 'no-such-board');
    const [before, after] = [this.next.board, settings.board];
    const outputs = outputTransitions(this.#settings, settings);
    const isInForce = isSameSetup(settings, this.#settings);
    if (isInForce && !this.#file.chosen) return { before, after, outputs, mustRestart: false };
    const lost = lostInputs(before, after);
    try {
      await this.#entered(settings, actor, 'board', () => this.#file.choose(settings, isInForce));
      if (!isInForce) this.#pushFault.set(OTHER_BOARD);
    } finally {
      // Also if the write has failed, but has come as far as the file.
      if (isInForce && this.#file.chosen === null) {
        this.#settings = settings;
        this.#pushFault.set(null);
      }
    }
    this.#isPassedOver = true;
    const { status } = this.#deps.guard;
    const mustRestart = this.inputs.mustRestart || (status !== null && this.#isOtherBoard(status));
    return { before, after, outputs, ...(lost.length > 0 && { lostInputs: lost }), mustRestart };
  }

  /** I5: settings of one board must not reach the lines of another, whose levels they would invert. */
  #isOtherBoard({ board }: GuardStatus): boolean {
    return this.#file.chosen !== null || (board !== undefined && !isSameBoard(board, this.#settings.board));
  }

  async #push(): Promise<void> {
    const { guard } = this.#deps;
    if (!guard.status || this.#isOtherBoard(guard.status)) return;
    let found = this.#partFault(guard.status);
    for (const { numOutput, settings } of this.#differences(guard.status)) {
      try {
        await guard.configure([{ numOutput, settings }], false);
      } catch (error) {
        found = fault('output-not-in-force', { numOutput, why: causeOf(error) });
      }
    }
    this.#pushFault.set(found);
  }

  #differences(status: GuardStatus): { numOutput: number; settings: OutputSettings }[] {
    return this.#settings.outputs.flatMap((settings, numOutput) => {
      const guards = status.outputs[numOutput];
      return guards && !isSameOutput(guards.settings, settings) ? [{ numOutput, settings }] : [];
    });
  }

  #partFault(status: GuardStatus): Fault | null {
    const own = this.#settings.outputs.length;
    const guards = status.outputs.length;
    if (own !== guards) return fault('output-count', { own, guards });
    return hasInputs(status, this.#settings.inputs ?? []) ? null : fault('inputs-not-in-force', {});
  }

  #inTurn<T>(work: () => Promise<T>, life: RequestLife): Promise<T> {
    return this.#mutex.runExclusive(() => {
      if (lateProblem(life, this.#deps.clock.nowMs()) === null) return this.#busily(work);
      throw refused('refused', 'turn-too-late', {});
    });
  }

  async #busily<T>(work: () => Promise<T>): Promise<T> {
    this.#isBusy = true;
    this.#isPassedOver = false;
    try {
      return await work();
    } finally {
      this.#isBusy = false;
      const { status } = this.#deps.guard;
      if (status && this.#isPassedOver) this.guardChanged(status);
    }
  }
}

type Unusable = 'no-such-setup' | 'no-such-setup-yet' | 'no-such-input-setup' | 'no-such-board';

/** Throws `out-of-range` for settings that would keep guard and agent from starting again. */
function refuseUnusable(settings: DeviceSettings, code: Unusable): void {
  const parsed = parseNewDeviceSettings(settings);
  if (!parsed.ok) throw refused('out-of-range', code, { problem: parsed.fault ?? parsed.problem });
}

/** Whether both have the same board and outputs; what inputs mean may differ. */
function isSameSetup(one: DeviceSettings, other: DeviceSettings): boolean {
  return isSameBoard(one.board, other.board) && JSON.stringify(one.outputs) === JSON.stringify(other.outputs);
}

function inputsOf({ inputs = [] }: GuardStatus): InputSettings[] {
  return inputs.map(({ settings }) => settings);
}

function hasInputs(status: GuardStatus, inputs: readonly InputSettings[]): boolean {
  return isSameInputs(inputsOf(status), inputs);
}

function inputOf({ inputs = [] }: DeviceSettings, numInput: number): InputSettings | null {
  return inputs.find((input) => input.numInput === numInput) ?? null;
}
