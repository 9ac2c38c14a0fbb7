import type { Clock } from '@relaygate/shared';
import type { RemovableFiles } from '../../../files/files';
import { JsonFile } from '../../../files/json-file';
import type { Corruption } from '../../../files/loaded-file';
import { PIN_FORMAT, type PinRecord } from '../../../files/pin-record';
import { TimelySaves } from '../../../files/timely-saves';

interface PinFileDeps {
  files: RemovableFiles;
  path: string;
  clock: Clock;
}

/** `pin.json`. A card that hangs keeps nobody waiting for longer than SAVE_PATIENCE_MS; what is wanted is written once it answers. */
export class PinFile {
  readonly #deps: PinFileDeps;
  readonly #file: JsonFile<PinRecord>;
  readonly #saves: TimelySaves;
  /** What the file is to hold. */
  #wanted: PinRecord | null;
  /** The text in the file; null: there is none, or nobody knows. */
  #savedText: string | null;
  /** A first PIN that was refused because the disk was silent: nobody knows it. */
  #takenBackText: string | null = null;

  private constructor(deps: PinFileDeps, file: JsonFile<PinRecord>, record: PinRecord | null, text: string | null) {
    const { clock } = deps;
    this.#deps = deps;
    this.#file = file;
    this.#wanted = record;
    this.#savedText = text;
    this.#saves = new TimelySaves({ clock, write: () => this.#write(), silent: () => {} });
  }

  /** A file that cannot be used is quarantined. Never rejects. */
  static async open(deps: PinFileDeps): Promise<{
    file: PinFile;
    record: PinRecord | null;
    corruption: Corruption | null;
  }> {
    const file = new JsonFile(deps.files, deps.path, PIN_FORMAT);
    const { text, value, corruption } = await file.load();
    return { file: new PinFile(deps, file, value, value && text), record: value, corruption };
  }

  /** Resolves when the record is durable. Rejects as the disk does, or if it is silent; then it may become durable later. */
  async save(record: PinRecord): Promise<void> {
    this.#wanted = record;
    if (this.#file.textOf(record) !== this.#savedText) await this.#saves.save();
  }

  /** After a failed save: the file is to hold `former` again. Resolves with true if it holds `record` all the same, and goes on to. */
  async takeBack(record: PinRecord, former: PinRecord | null): Promise<boolean> {
    this.#wanted = former;
    const stands = await this.#file.holds(record);
    if (stands) this.#wanted = record;
    else if (former === null) this.#takenBackText = this.#file.textOf(record);
    // The disk may still have the write in hand.
    this.#saves.save().catch(() => {});
    return stands;
  }

  async #write(): Promise<void> {
    const record = this.#wanted;
    const text = record && this.#file.textOf(record);
    if (record === null) return this.#removeTakenBack();
    if (text === this.#savedText) return;
    this.#savedText = null;
    await this.#file.save(record);
    this.#savedText = text;
  }
  async #removeTakenBack(): Promise<void> {
    const { files, path } = this.#deps;
    const text = this.#takenBackText;
    if (text !== null) await files.remove(path, (found) => found === text);
  }
}
