import type { Parser } from '@relaygate/shared';
import type { Files } from './files';
import { parsedIn } from './json-text';
import { type LoadedFile, loadFile } from './loaded-file';

/** How a file of one value is written. */
export interface JsonFormat<T> {
  parse: Parser<T>;
  /** Else that of the file before, or 0640. */
  mode?: number;
  /** Else two spaces for each level, so that people can read it. */
  isOneLine?: true;
}

export function jsonText<T>({ isOneLine }: Partial<JsonFormat<T>>, value: T): string {
  return `${JSON.stringify(value, null, isOneLine ? 0 : 2)}\n`;
}

/** A file that holds one value, of which it is always the old or the new one. */
export class JsonFile<T> {
  readonly path: string;
  readonly #files: Files;
  readonly #format: JsonFormat<T>;

  constructor(files: Files, path: string, format: JsonFormat<T>) {
    this.#files = files;
    this.path = path;
    this.#format = format;
  }

  /** `text` null: there is no file. `value` null with a text: it is corrupt, and stays where it is. Rejects as the disk does. */
  async read(): Promise<{ text: string | null; value: T | null }> {
    const text = await this.#files.read(this.path);
    return { text, value: text === null ? null : parsedIn(text, this.#format.parse) };
  }

  /** The same for a start that nothing may keep from going on: what cannot be used is quarantined. Never rejects. */
  load(): Promise<LoadedFile<T>> {
    return loadFile(this.#files, this.path, (text) => parsedIn(text, this.#format.parse));
  }

  /** Durable when it resolves. Rejects as the disk does; then `holds` says whether the file is the new one all the same. */
  save(value: T): Promise<void> {
    const { mode } = this.#format;
    return this.#files.replace(this.path, this.textOf(value), mode === undefined ? {} : { mode });
  }

  /** `ifUnreadable`: what counts where the disk does not say. */
  async holds(value: T, ifUnreadable = false): Promise<boolean> {
    const text = this.textOf(value);
    return this.#files.read(this.path).then(
      (found) => found === text,
      () => ifUnreadable,
    );
  }

  /** What was read there is durable when it resolves. */
  sync(): Promise<void> {
    return this.#files.sync(this.path);
  }

  textOf(value: T): string {
    return jsonText(this.#format, value);
  }
}
