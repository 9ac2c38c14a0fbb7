import { type DeviceSettings, isSameOutput, type OutputSettings, RelaygateError } from '@relaygate/shared';
import type { Files } from '../files/files';
import type { GuardStatus } from '../guard/protocol';
import type { Log } from '../program/log';
import { problemOf } from '../program/problem';
import type { GuardContact } from './guard-contact';

export interface SettingsKeeperPorts {
  files: Files;
  path: string;
  guard: Pick<GuardContact, 'configure' | 'status'>;
  log: Log;
  onChange(): void;
}

export interface OutputChange {
  numOutput: number;
  change: Partial<OutputSettings>;
  force: boolean;
}

/**
 * The settings in force. A change is applied by the guard, which alone knows whether the output is free, then made
 * durable, then confirmed; one that cannot be saved is taken back (I8).
 */
export class SettingsKeeper {
  readonly #ports: SettingsKeeperPorts;
  #settings: DeviceSettings;
  /** As text, to notice a hand that edits the file while the agent runs. */
  #saved: string;
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
    const mine = this.#changes.then(() => this.#busily(() => this.#changeNow(wish)));
    this.#changes = mine.then(
      () => {},
      () => {},
    );
    return mine;
  }

  /** The guard is back or its outputs have changed: what it does not have of these settings it gets now. */
  guardChanged(status: GuardStatus): void {
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
  }: OutputChange): Promise<{ before: OutputSettings; after: OutputSettings }> {
    const before = this.#settings.outputs[numOutput];
    if (!before) {
      const last = this.#settings.outputs.length - 1;
      throw new RelaygateError('output-not-found', `There is no output ${numOutput}; this device has 0 to ${last}.`);
    }
    const after = { ...before, ...change };
    if (isSameOutput(before, after)) return { before, after };
    await this.#refuseIfEdited();
    const settings = { ...this.#settings, outputs: this.#settings.outputs.with(numOutput, after) };
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
    this.#settings = settings;
    this.#ports.onChange();
    return { before, after };
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

  async #refuseIfEdited(): Promise<void> {
    if ((await this.#ports.files.read(this.#ports.path)) === this.#saved) return;
    throw new RelaygateError(
      'refused',
      `${this.#ports.path} was edited since the agent started; restart guard and agent first, so that nothing is lost.`,
    );
  }

  async #push(): Promise<void> {
    const { guard } = this.#ports;
    if (!guard.status) return;
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
