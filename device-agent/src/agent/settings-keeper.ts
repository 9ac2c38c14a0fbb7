import {
  type BoardSettings,
  type DeviceSettings,
  isSameBoard,
  isSameOutput,
  type OutputSettings,
  parseDeviceSettings,
  RelaygateError,
} from '@relaygate/shared';
import { type BoardChange, type OutputFate, outputFates, withBoard } from '../boards/board-change';
import type { Files } from '../files/files';
import type { GuardStatus } from '../guard/protocol';
import type { Log } from '../program/log';
import { noSuchOutput } from '../program/no-such-output';
import { problemOf } from '../program/problem';
import type { GuardContact } from './guard-contact';
import { factsOfSettings, isOfSettings } from './history/facts';
import type { History } from './history/history';

export interface SettingsKeeperPorts {
  files: Files;
  path: string;
  guard: Pick<GuardContact, 'configure' | 'status'>;
  history: Pick<History, 'change'>;
  log: Log;
  onChange(): void;
}

export interface OutputChange {
  numOutput: number;
  change: Partial<OutputSettings>;
  force: boolean;
  actor: string;
}

/** What `changeBoard` has written. */
export interface ChangedBoard {
  before: BoardSettings;
  after: BoardSettings;
  outputs: OutputFate[];
  /** False: it was this board already. */
  mustRestart: boolean;
}

const OTHER_BOARD =
  'settings.json names another board than the one in use: restart relaygate-guard, then relaygate-agent.';

/**
 * The settings in force. A change is applied by the guard, which alone knows whether the output is free, then made
 * durable, then confirmed; one that cannot be saved is taken back (I8).
 */
export class SettingsKeeper {
  readonly #ports: SettingsKeeperPorts;
  #settings: DeviceSettings;
  /** As text, to notice a hand that edits the file while the agent runs. */
  #saved: string;
  /** The file since a new board was chosen; guard and agent go on with the old one until they are restarted. */
  #chosen: string | null = null;
  #changes: Promise<void> = Promise.resolve();
  #isBusy = false;
  /** The guard has changed meanwhile. */
  #isPassedOver = false;
  #pushProblem: string | null = null;

  constructor(settings: DeviceSettings, text: string, ports: SettingsKeeperPorts) {
    this.#settings = settings;
    this.#saved = text;
    this.#ports = ports;
  }

  get settings(): DeviceSettings {
    return this.#settings;
  }

  /** Why the guard runs with other settings than the file's; null when it does not. */
  get pushProblem(): string | null {
    return this.#pushProblem;
  }

  /** The output's settings before and after. Rejects with nothing changed. */
  async change(wish: OutputChange): Promise<{ before: OutputSettings; after: OutputSettings }> {
    return this.#inTurn(() => this.#changeNow(wish));
  }

  /**
   * Writes another board into the file. Nothing moves and nothing is in force before guard and agent are restarted: the
   * lines of two boards have nothing to do with each other. Rejects with nothing changed.
   */
  async changeBoard(wish: BoardChange, actor: string): Promise<ChangedBoard> {
    return this.choose((settings) => withBoard(settings, wish), actor);
  }

  /** The same with settings of another make, out of those in force. */
  async choose(wished: (settings: DeviceSettings) => DeviceSettings, actor: string): Promise<ChangedBoard> {
    return this.#inTurn(() => this.#chooseNow(wished(this.#settings), actor));
  }

  /** Nothing changes the settings while `work` runs, and nothing puts the guard back to them. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#inTurn(work);
  }

  /** Throws while the file names another board than the guard drives. */
  refuseOtherBoard(): void {
    const { status } = this.#ports.guard;
    if (status && this.#isOtherBoard(status)) throw new RelaygateError('refused', OTHER_BOARD);
  }

  /** The guard is back or its outputs have changed: what it does not have of these settings it gets now. */
  guardChanged(status: GuardStatus): void {
    if (this.#isOtherBoard(status)) {
      this.#setPushProblem(OTHER_BOARD);
      return;
    }
    if (this.#isBusy) {
      this.#isPassedOver = true;
      return;
    }
    if (this.#differences(status).length === 0) {
      this.#setPushProblem(this.#countProblem(status));
      return;
    }
    this.#changes = this.#changes.then(() => this.#busily(() => this.#push())).catch(() => {});
  }

  async #changeNow({
    numOutput,
    change,
    force,
    actor,
  }: OutputChange): Promise<{ before: OutputSettings; after: OutputSettings }> {
    const before = this.#settings.outputs[numOutput];
    if (!before) throw noSuchOutput(numOutput, this.#settings.outputs.length);
    const after = { ...before, ...change };
    if (isSameOutput(before, after)) return { before, after };
    await this.#refuseIfEdited();
    this.refuseOtherBoard();
    const settings = { ...this.#settings, outputs: this.#settings.outputs.with(numOutput, after) };
    refuseUnusable(settings, 'No output can be set up so');
    await this.#entered(settings, actor, 'output', async () => {
      await this.#ports.guard.configure([{ numOutput, settings: after }], force);
      try {
        await this.#save(settings);
      } catch (error) {
        // Forced: the change must not outlive its refusal.
        await this.#ports.guard.configure([{ numOutput, settings: before }], true).catch((worse: unknown) => {
          this.#ports.log.warn(`output ${numOutput}: the change could not be taken back: ${problemOf(worse)}`);
        });
        const left = await this.#takeBackFile(textOf(settings));
        const why = `${this.#ports.path} cannot be written (${problemOf(error)}); ${left}.`;
        throw new RelaygateError('refused', why, { cause: error });
      }
    });
    this.#settings = settings;
    this.#ports.onChange();
    return { before, after };
  }

  /** Does `work` with its entry in the history: before it, and after it where it has failed. */
  #entered(settings: DeviceSettings, actor: string, kind: string, work: () => Promise<void>): Promise<void> {
    const stands = (): boolean => (this.#chosen ?? this.#saved) === textOf(settings);
    const wanted = { actor, kind, after: factsOfSettings(settings), concerns: isOfSettings, stands };
    return this.#ports.history.change(wanted, work);
  }

  async #chooseNow(settings: DeviceSettings, actor: string): Promise<ChangedBoard> {
    // Chosen anew before the restart: what is in force is still the old board.
    await this.#refuseIfEdited(this.#chosen ?? this.#saved);
    refuseUnusable(settings, 'This is no board that can be set up');
    const { board: before } = this.#settings;
    const { board: after } = settings;
    const outputs = outputFates(this.#settings, settings);
    const text = textOf(settings);
    if (text === textOf(this.#settings) && this.#chosen === null) return { before, after, outputs, mustRestart: false };
    const { files, path } = this.#ports;
    await this.#entered(settings, actor, 'board', async () => {
      try {
        await files.replace(path, text);
        this.#chosen = text;
      } catch (error) {
        // It may have come as far as the file itself.
        const stands = (await files.read(path).catch(() => null)) === text;
        if (stands) this.#chosen = text;
        const left = stands ? 'the board stands there, but may be gone after a power cut' : 'nothing was changed';
        const why = `${path} cannot be written (${problemOf(error)}); ${left}.`;
        throw new RelaygateError('refused', why, { cause: error });
      }
    });
    this.#setPushProblem(OTHER_BOARD);
    return { before, after, outputs, mustRestart: true };
  }

  /** I5: settings of one board must not reach the lines of another, whose levels they would invert. */
  #isOtherBoard({ board }: GuardStatus): boolean {
    return this.#chosen !== null || (board !== undefined && !isSameBoard(board, this.#settings.board));
  }

  async #save(settings: DeviceSettings): Promise<void> {
    const text = textOf(settings);
    await this.#ports.files.replace(this.#ports.path, text);
    this.#saved = text;
  }

  /** A failed save may have come as far as the file itself. What is left, in words. */
  async #takeBackFile(refused: string): Promise<string> {
    const { files, path } = this.#ports;
    const now = await files.read(path).catch(() => null);
    if (now !== refused) return 'nothing was changed';
    try {
      await files.replace(path, this.#saved);
    } catch {
      const isBack = (await files.read(path).catch(() => null)) === this.#saved;
      if (isBack) return 'nothing was changed';
      this.#saved = refused;
      return 'the change is not in force, but stands in that file and may be at the next start';
    }
    return 'nothing was changed';
  }

  async #refuseIfEdited(expected = this.#saved): Promise<void> {
    if ((await this.#ports.files.read(this.#ports.path)) === expected) return;
    throw new RelaygateError(
      'refused',
      `${this.#ports.path} was edited since the agent started; restart guard and agent first, so that nothing is lost.`,
    );
  }

  async #push(): Promise<void> {
    const { guard } = this.#ports;
    if (!guard.status || this.#isOtherBoard(guard.status)) return;
    let problem: string | null = this.#countProblem(guard.status);
    for (const { numOutput, settings } of this.#differences(guard.status)) {
      try {
        await guard.configure([{ numOutput, settings }], false);
      } catch (error) {
        problem = `The settings of output ${numOutput} are not in force yet: ${problemOf(error)}`;
      }
    }
    this.#setPushProblem(problem);
  }

  #differences(status: GuardStatus): { numOutput: number; settings: OutputSettings }[] {
    return this.#settings.outputs.flatMap((settings, numOutput) => {
      const guards = status.outputs[numOutput];
      return guards && !isSameOutput(guards.settings, settings) ? [{ numOutput, settings }] : [];
    });
  }

  #countProblem(status: GuardStatus): string | null {
    const mine = this.#settings.outputs.length;
    const guards = status.outputs.length;
    return mine === guards
      ? null
      : `settings.json has ${mine} outputs, the guard runs with ${guards}: restart relaygate-guard.`;
  }

  #setPushProblem(problem: string | null): void {
    if (problem === this.#pushProblem) return;
    this.#pushProblem = problem;
    if (problem !== null) this.#ports.log.warn(problem);
    this.#ports.onChange();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#changes.then(() => this.#busily(work));
    this.#changes = mine.then(
      () => {},
      () => {},
    );
    return mine;
  }

  async #busily<T>(work: () => Promise<T>): Promise<T> {
    this.#isBusy = true;
    this.#isPassedOver = false;
    try {
      return await work();
    } finally {
      this.#isBusy = false;
      const { status } = this.#ports.guard;
      if (status && this.#isPassedOver) this.guardChanged(status);
    }
  }
}

function textOf(settings: DeviceSettings): string {
  return `${JSON.stringify(settings, null, 2)}\n`;
}

/** Throws `out-of-range`, beginning with `what`, for settings that would keep guard and agent from starting again. */
function refuseUnusable(settings: DeviceSettings, what: string): void {
  const parsed = parseDeviceSettings(settings);
  if (!parsed.ok) throw new RelaygateError('out-of-range', `${what}: ${parsed.problem}.`);
}
