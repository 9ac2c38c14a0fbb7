import type { Parser } from '@relaygate/shared';
import type { Files } from './files';
import { jsonText, parsedIn } from './json-text';
import { type LoadedFile, loadFile } from './loaded-file';

/** How a file of one value is written. */
export interface JsonFormat<T> {
  parse: Parser<T>;
  /** Absent: the mode of the former file, or 0640. */
  mode?: number;
  /** Absent: two spaces for each level, so that people can read it. */
  isOneLine?: true;
}

/** A file that holds one value, always the old or the new one. */
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

  /** As `read`, for a start that must go on: a file that cannot be used is quarantined. Never rejects. */
  load(): Promise<LoadedFile<T>> {
    return loadFile(this.#files, this.path, (text) => parsedIn(text, this.#format.parse));
  }

  /**
   * Resolves when the value is durable. Rejects as the disk does; then `holds` says whether the file is the new one all the
   * same.
   */
  save(value: T): Promise<void> {
    const { mode } = this.#format;
    return this.#files.replace(this.path, this.textOf(value), mode === undefined ? {} : { mode });
  }

  /** `ifUnreadable`: the result if the disk does not say. */
  async holds(value: T, ifUnreadable = false): Promise<boolean> {
    const text = this.textOf(value);
    return this.#files.read(this.path).then(
      (found) => found === text,
      () => ifUnreadable,
    );
  }

  /** Resolves when what was read there is durable. */
  sync(): Promise<void> {
    return this.#files.sync(this.path);
  }

  textOf(value: T): string {
    return jsonText(value, this.#format);
  }
}
