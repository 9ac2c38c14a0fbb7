import type { RemovableFiles, ReplaceOptions } from '@relaygate/device-agent/files/files';

const always = (): boolean => true;
const never = new Promise<never>(() => {});

/** Files in memory that can be made to fail, and that remember what happened to them. */
export class MemoryFiles implements RemovableFiles {
  readonly texts = new Map<string, string>();
  /** One line per change: `replace <path>`, `append <path>`, ... */
  readonly log: string[] = [];
  /** Paths whose next changes fail with this text, until it is taken away. */
  readonly failing = new Map<string, string>();
  /** Paths without space for a change, with what it fails with; what stands there can be synced. */
  readonly full = new Map<string, string>();
  /** Paths that were made durable as they were found. */
  readonly synced: string[] = [];
  /** Paths whose reading fails with this text; an empty one reads. */
  readonly unreadable = new Map<string, string>();
  /** Paths whose replacing fails with this text after the file is new, as a failed fsync of the folder does. */
  readonly failingLate = new Map<string, string>();
  /** Paths whose disk breaks with this text while they are replaced: the file is new, and no later change succeeds. */
  readonly breaking = new Map<string, string>();
  /** When set, changes of a path wait for it. */
  readonly slow = new Map<string, Promise<void>>();

  /** The disk has changes of a path in hand until the result is called. */
  hold(path: string): () => void {
    let release = (): void => {};
    this.slow.set(path, new Promise((resolve) => (release = resolve)));
    return () => release();
  }

  async read(path: string): Promise<string | null> {
    const problem = this.unreadable.get(path);
    if (problem) throw diskError(problem);
    return this.texts.get(path) ?? null;
  }

  async sync(path: string, isAlive = always): Promise<void> {
    await this.slow.get(path);
    if (!isAlive()) return never;
    const problem = this.failing.get(path);
    if (problem !== undefined) throw diskError(problem);
    this.synced.push(path);
  }

  async replace(path: string, text: string, options?: ReplaceOptions, isAlive = always): Promise<void> {
    await this.#change('replace', path, isAlive);
    await options?.beforeCommit?.();
    this.texts.set(path, text);
    const broken = this.breaking.get(path);
    if (broken !== undefined) this.failing.set(path, broken);
    const problem = broken ?? this.failingLate.get(path);
    if (problem !== undefined) throw diskError(problem);
  }

  async append(path: string, text: string, _options?: object, isAlive = always): Promise<void> {
    await this.#change('append', path, isAlive);
    this.texts.set(path, (this.texts.get(path) ?? '') + text);
  }

  async quarantine(path: string, isAlive = always): Promise<string> {
    await this.#change('quarantine', path, isAlive);
    const aside = `${path}.corrupt-1`;
    this.texts.set(aside, this.texts.get(path) ?? '');
    this.texts.delete(path);
    return aside;
  }

  async remove(path: string, isIt: (text: string) => boolean = always, isAlive = always): Promise<void> {
    await this.#change('remove', path, isAlive);
    if (isIt(this.texts.get(path) ?? '')) this.texts.delete(path);
  }

  /** As one process has them: what still hangs when it dies never happens, and it learns of nothing any more. */
  of(isAlive: () => boolean): RemovableFiles {
    const told = async <T>(change: Promise<T>): Promise<T> => {
      const value = await change;
      return isAlive() ? value : never;
    };
    return {
      read: (path) => told(this.read(path)),
      sync: (path) => told(this.sync(path, isAlive)),
      replace: (path, text, options) => told(this.replace(path, text, options, isAlive)),
      append: (path, text, options) => told(this.append(path, text, options, isAlive)),
      quarantine: (path) => told(this.quarantine(path, isAlive)),
      remove: (path, isIt) => told(this.remove(path, isIt, isAlive)),
    };
  }

  async #change(what: string, path: string, isAlive: () => boolean): Promise<void> {
    await this.slow.get(path);
    if (!isAlive()) return never;
    const problem = this.failing.get(path) ?? this.full.get(path);
    if (problem !== undefined) throw diskError(problem);
    this.log.push(`${what} ${path}`);
  }
}

/** As the system gives it: with a code. */
function diskError(text: string): Error {
  return Object.assign(new Error(text), { code: /^E[A-Z]+/.exec(text)?.[0] });
}
