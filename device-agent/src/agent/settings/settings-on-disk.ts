import type { RelaygateError } from '@relaygate/shared';
import type { DeviceSettings } from '@relaygate/shared/device';
import type { Files } from '../../files/files';
import { jsonText } from '../../files/json-file';
import type { SettingsLeft } from '../../locales/en/refusals';
import { causeOf } from '../../runtime/problem';
import { refused } from '../../runtime/refused';

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
    if ((await this.#files.read(this.#path)) === this.#text) return;
    throw refused('refused', 'settings-edited', { path: this.#path });
  }

  /** For now and for the next start. Rejects as the disk does, until `takeBack` in doubt about what the file holds. */
  async save(settings: DeviceSettings): Promise<void> {
    const text = textOfSettings(settings);
    await this.#files.replace(this.#path, text);
    this.#saved = text;
    this.#hasRefused = false;
  }

  /** A failed save may have come as far as the file itself. What is left. */
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

  /** For the next start, or with `isInForce` for now too. Rejects with `refused`. */
  async choose(settings: DeviceSettings, isInForce = false): Promise<void> {
    const text = textOfSettings(settings);
    try {
      await this.#files.replace(this.#path, text);
    } catch (error) {
      // It may have come as far as the file itself.
      const stands = (await this.#readIfPossible()) === text;
      if (stands) this.#chosen = settings;
      throw this.refusal(error, stands ? 'stands-for-now' : 'unchanged');
    }
    this.#chosen = isInForce ? null : settings;
    if (isInForce) this.#saved = text;
  }

  refusal(cause: unknown, left: SettingsLeft): RelaygateError {
    return refused('refused', 'settings-unwritten', { path: this.#path, problem: causeOf(cause), left }, { cause });
  }

  /** As it should be. */
  get #text(): string {
    return this.#chosen === null ? this.#saved : textOfSettings(this.#chosen);
  }

  #readIfPossible(): Promise<string | null> {
    return this.#files.read(this.#path).catch(() => null);
  }
}

export function textOfSettings(settings: DeviceSettings): string {
  return jsonText({}, settings);
}
