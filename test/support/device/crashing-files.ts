import type { RemovableFiles, ReplaceOptions } from '@relaygate/device-agent/files/files';
import type { MemoryFiles } from './memory-files';

/** Never settles: whoever asked is dead. */
const nobody = (): Promise<never> => new Promise(() => {});

/**
 * The files of a process that dies at one of its steps. A `replace` has three: before anything, with the new file
 * shown but not durable, and with all done but not yet said; an `append` besides leaves half of its text. What is shown
 * and not durable goes with a power cut.
 */
export class CrashingFiles implements RemovableFiles {
  readonly #files: MemoryFiles;
  #deathAtStep: number;
  #step = 0;
  /** As a power cut would have it back. */
  #undo: (() => void) | null = null;
  #shownPath: string | null = null;
  isDead = false;

  constructor(files: MemoryFiles, deathAtStep: number) {
    this.#files = files;
    this.#deathAtStep = deathAtStep;
  }

  /** Counted from now on. */
  dieAtStep(step: number): void {
    this.#deathAtStep = this.#step + step;
  }

  /** What is shown and not durable; null: nothing is. */
  get shownOnly(): string | null {
    return this.#undo && this.#shownPath;
  }

  cutPower(): void {
    this.#undo?.();
  }

  read(path: string): Promise<string | null> {
    return this.isDead ? nobody() : this.#files.read(path);
  }

  sync(path: string): Promise<void> {
    return this.#diesHere() ? nobody() : this.#files.sync(path);
  }

  async replace(path: string, text: string, options?: ReplaceOptions): Promise<void> {
    if (this.#diesHere()) return nobody();
    await options?.beforeCommit?.();
    this.#undo = this.#undoOf(path);
    this.#files.texts.set(path, text);
    if (this.#diesHere()) return nobody();
    this.#undo = null;
    if (this.#diesHere()) return nobody();
  }

  async append(path: string, text: string): Promise<void> {
    const before = this.#files.texts.get(path) ?? '';
    if (this.#diesHere()) return nobody();
    for (const share of [0.3, 0.99]) {
      this.#undo = this.#undoOf(path);
      this.#files.texts.set(path, before + text.slice(0, Math.floor(text.length * share)));
      if (this.#diesHere()) return nobody();
    }
    this.#undo = this.#undoOf(path);
    this.#files.texts.set(path, before + text);
    if (this.#diesHere()) return nobody();
    this.#undo = null;
    if (this.#diesHere()) return nobody();
  }

  async quarantine(path: string): Promise<string> {
    return this.isDead ? nobody() : this.#files.quarantine(path);
  }

  async remove(path: string, isIt?: (text: string) => boolean): Promise<void> {
    return this.isDead ? nobody() : this.#files.remove(path, isIt);
  }

  #diesHere(): boolean {
    if (!this.isDead && this.#step === this.#deathAtStep) this.isDead = true;
    this.#step += 1;
    return this.isDead;
  }

  #undoOf(path: string): () => void {
    this.#shownPath = path;
    const before = this.#files.texts.get(path);
    return () => {
      if (before === undefined) this.#files.texts.delete(path);
      else this.#files.texts.set(path, before);
    };
  }
}
