import type { Files } from '@relaygate/device-agent/files/files';

/** Files in memory that can be made to fail, and that remember what happened to them. */
export class MemoryFiles implements Files {
  readonly texts = new Map<string, string>();
  /** One line per change: `replace <path>`, `append <path>`, ... */
  readonly log: string[] = [];
  /** Paths whose next changes fail with this text, until it is taken away. */
  readonly failing = new Map<string, string>();
  /** Paths whose reading fails with this text; an empty one reads. */
  readonly unreadable = new Map<string, string>();
  /** Paths whose replacing fails with this text after the file is new, as a failed fsync of the folder does. */
  readonly failingLate = new Map<string, string>();
  /** When set, changes of a path wait for it. */
  readonly slow = new Map<string, Promise<void>>();

  async read(path: string): Promise<string | null> {
    const problem = this.unreadable.get(path);
    if (problem) throw new Error(problem);
    return this.texts.get(path) ?? null;
  }

  async replace(path: string, text: string): Promise<void> {
    await this.#change('replace', path);
    this.texts.set(path, text);
    const problem = this.failingLate.get(path);
    if (problem !== undefined) throw new Error(problem);
  }

  async append(path: string, text: string): Promise<void> {
    await this.#change('append', path);
    this.texts.set(path, (this.texts.get(path) ?? '') + text);
  }

  async keepAside(path: string): Promise<string> {
    await this.#change('keep-aside', path);
    const aside = `${path}.corrupt-1`;
    this.texts.set(aside, this.texts.get(path) ?? '');
    this.texts.delete(path);
    return aside;
  }

  async remove(path: string): Promise<void> {
    await this.#change('remove', path);
    this.texts.delete(path);
  }

  async #change(what: string, path: string): Promise<void> {
    await this.slow.get(path);
    const problem = this.failing.get(path);
    if (problem !== undefined) throw new Error(problem);
    this.log.push(`${what} ${path}`);
  }
}
