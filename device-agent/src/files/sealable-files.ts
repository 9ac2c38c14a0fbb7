import { type Refusals, refused } from '../runtime/refused';
import type { RemovableFiles, ReplaceOptions } from './files';

/** Files that can be sealed: after that nothing is written, so that nothing brings back what is wiped. */
export class SealableFiles implements RemovableFiles {
  readonly #files: RemovableFiles;
  readonly #changes = new Set<Promise<unknown>>();
  #isSealed = false;

  constructor(files: RemovableFiles) {
    this.#files = files;
  }

  /** `so`: what follows for whoever asks. */
  refuseIfSealed(so: Refusals['reset-begun']['so']): void {
    if (this.#isSealed) throw refused('refused', 'reset-begun', { so });
  }

  /** Resolves when the disk has no change in hand any more. */
  async seal(): Promise<void> {
    this.#isSealed = true;
    await Promise.allSettled(this.#changes);
  }

  read(path: string): Promise<string | null> {
    return this.#files.read(path);
  }

  sync(path: string): Promise<void> {
    return this.#files.sync(path);
  }

  replace(path: string, text: string, options?: ReplaceOptions): Promise<void> {
    return this.#write(() => this.#files.replace(path, text, options));
  }

  append(path: string, text: string, options?: { sync?: boolean }): Promise<void> {
    return this.#write(() => this.#files.append(path, text, options));
  }

  quarantine(path: string): Promise<string> {
    return this.#inHand(this.#files.quarantine(path));
  }

  remove(path: string, isIt?: (text: string) => boolean): Promise<void> {
    return this.#inHand(this.#files.remove(path, isIt));
  }

  async #write(write: () => Promise<void>): Promise<void> {
    if (this.#isSealed) throw new Error('a factory reset was begun');
    await this.#inHand(write());
  }

  async #inHand<T>(change: Promise<T>): Promise<T> {
    this.#changes.add(change);
    try {
      return await change;
    } finally {
      this.#changes.delete(change);
    }
  }
}
