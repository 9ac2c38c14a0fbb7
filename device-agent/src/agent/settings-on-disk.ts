import { RelaygateError } from '@relaygate/shared';
import type { DeviceSettings } from '@relaygate/shared/device';
import type { Files } from '../files/files';
import { problemOf } from '../runtime/problem';

/** settings.json: replaced as a whole, and never what a hand has edited since. */
export class SettingsOnDisk {
  readonly #files: Files;
  readonly #path: string;
  /** As text, to notice that hand. */
  #saved: string;
  /** The file since a new board was chosen; guard and agent go on with the old one until they are restarted. */
  #chosen: DeviceSettings | null = null;
  #hasRefused = false;

  /** `text`: as it was read. */
  constructor(files: Files, path: string, text: string) {
    this.#files = files;
    this.#path = path;
    this.#saved = text;
  }

  /** With a board that is not in force yet. */
  get chosen(): DeviceSettings | null {
    return this.#chosen;
  }

  /** A refused change stands in it. */
  get hasRefused(): boolean {
    return this.#hasRefused;
  }

  holds(settings: DeviceSettings): boolean {
    return this.#text === textOfSettings(settings);
  }

  async refuseIfEdited(): Promise<void> {
    if ((await this.#read()) === this.#text) return;
    throw new RelaygateError(
      'refused',
      `${this.#path} was edited since the agent started; restart guard and agent first, so that nothing is lost.`,
    );
  }

  /** For now and for the next start. Rejects as the disk does, until `takeBack` in doubt about what the file holds. */
  async save(settings: DeviceSettings): Promise<void> {
    const text = textOfSettings(settings);
    await this.#files.replace(this.#path, text);
    this.#saved = text;
    this.#hasRefused = false;
  }

  /** A failed save may have come as far as the file itself. What is left, in words. */
  async takeBack(refused: DeviceSettings): Promise<string> {
    const text = textOfSettings(refused);
    if ((await this.#readIfPossible()) !== text) return 'nothing was changed';
    try {
      await this.#files.replace(this.#path, this.#saved);
    } catch {
      if ((await this.#readIfPossible()) === this.#saved) return 'nothing was changed';
      this.#saved = text;
      this.#hasRefused = true;
      return 'the change is not in force, but stands in that file and may be at the next start';
    }
    return 'nothing was changed';
  }

  /** For the next start only. Rejects with `refused`. */
  async choose(settings: DeviceSettings): Promise<void> {
    const text = textOfSettings(settings);
    try {
      await this.#files.replace(this.#path, text);
      this.#chosen = settings;
    } catch (error) {
      // It may have come as far as the file itself.
      const stands = (await this.#readIfPossible()) === text;
      if (stands) this.#chosen = settings;
      throw this.refusal(
        error,
        stands ? 'the board stands there, but may be gone after a power cut' : 'nothing was changed',
      );
    }
  }

  refusal(cause: unknown, left: string): RelaygateError {
    return new RelaygateError('refused', `${this.#path} cannot be written (${problemOf(cause)}); ${left}.`, { cause });
  }

  /** As it should be. */
  get #text(): string {
    return this.#chosen === null ? this.#saved : textOfSettings(this.#chosen);
  }

  #read(): Promise<string | null> {
    return this.#files.read(this.#path);
  }

  #readIfPossible(): Promise<string | null> {
    return this.#read().catch(() => null);
  }
}

export function textOfSettings(settings: DeviceSettings): string {
  return `${JSON.stringify(settings, null, 2)}\n`;
}
