import { RelaygateError } from '@relaygate/shared';
import type { DeviceSettings } from '@relaygate/shared/device';
import type { Files } from '../../files/files';
import { jsonText } from '../../files/json-text';
import type { SettingsLeft } from '../../locales/en/refusals';
import { causeOf } from '../../runtime/problem';
import { refused } from '../../runtime/refused';

/** settings.json: replaced as a whole, but never over edits by hand. */
export class SettingsOnDisk {
  readonly #files: Files;
  readonly #path: string;
  /** The text that was saved, to notice edits by hand. */
  #saved: string;
  /** What the file holds since a new board was chosen; guard and agent go on with the old one until they are restarted. */
  #chosen: DeviceSettings | null = null;
  #hasRefused = false;

  /** `text`: as it was read. */
  constructor(files: Files, path: string, text: string) {
    this.#files = files;
    this.#path = path;
    this.#saved = text;
  }

  /** The settings with a board that is not in force yet. */
  get chosen(): DeviceSettings | null {
    return this.#chosen;
  }

  /** Whether a refused change stands in the file. */
  get hasRefused(): boolean {
    return this.#hasRefused;
  }

  holds(settings: DeviceSettings): boolean {
    return this.#text === textOfSettings(settings);
  }

  async refuseIfEdited(): Promise<void> {
    if ((await this.#files.read(this.#path)) === this.#text) return;
    throw refused('refused', 'settings-edited', { path: this.#path });
  }

  /**
   * Saves settings for now and for the next start. Rejects with `refused` if somebody has edited the file, or as the disk
   * does; then the file may hold old or new settings, until `takeBack`.
   */
  async save(settings: DeviceSettings): Promise<void> {
    const text = textOfSettings(settings);
    await this.#replace(text);
    this.#saved = text;
    this.#hasRefused = false;
  }

  /** Takes a failed save back, which may have come as far as the file. Resolves with what is left of it. */
  async takeBack(given: DeviceSettings): Promise<SettingsLeft> {
    const text = textOfSettings(given);
    if ((await this.#readIfPossible()) !== text) return 'unchanged';
    try {
      await this.#files.replace(this.#path, this.#saved);
    } catch {
      if ((await this.#readIfPossible()) === this.#saved) return 'unchanged';
      this.#saved = text;
      this.#hasRefused = true;
      return 'stands-unused';
    }
    return 'unchanged';
  }

  /** Saves settings for the next start, or with `isInForce` for now too. Rejects with `refused`. */
  async choose(settings: DeviceSettings, isInForce = false): Promise<void> {
    const text = textOfSettings(settings);
    try {
      await this.#replace(text);
    } catch (error) {
      // The write may have come as far as the file itself.
      const stands = (await this.#readIfPossible()) === text;
      if (stands) this.#adopt(settings, text, isInForce);
      throw this.refusal(error, stands ? 'stands-for-now' : 'unchanged');
    }
    this.#adopt(settings, text, isInForce);
  }

  #adopt(settings: DeviceSettings, text: string, isInForce: boolean): void {
    this.#chosen = isInForce ? null : settings;
    if (isInForce) this.#saved = text;
  }

  /** Somebody may have edited the file since the change was asked for: the history and the guard take their time. */
  #replace(text: string): Promise<void> {
    return this.#files.replace(this.#path, text, { beforeCommit: () => this.refuseIfEdited() });
  }

  refusal(cause: unknown, left: SettingsLeft): RelaygateError {
    if (cause instanceof RelaygateError) return cause;
    return refused('refused', 'settings-unwritten', { path: this.#path, problem: causeOf(cause), left }, { cause });
  }

  /** The text that the file should have. */
  get #text(): string {
    return this.#chosen === null ? this.#saved : textOfSettings(this.#chosen);
  }

  #readIfPossible(): Promise<string | null> {
    return this.#files.read(this.#path).catch(() => null);
  }
}

export function textOfSettings(settings: DeviceSettings): string {
  return jsonText(settings);
}
