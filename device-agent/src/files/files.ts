/** Every file access of the domain: a port, so that crashes and full disks can be played. Rejects with the cause. */
export interface Files {
  /** Resolves with the text; null: there is no such file. */
  read(path: string): Promise<string | null>;
  /**
   * Resolves when what was read there is durable. A program that died may have shown a file without syncing it, so whoever
   * relies on what it has read syncs it first. I8.
   */
  sync(path: string): Promise<void>;
  /** Resolves when the file is durable; after a crash at any moment it is the old one or the new one. I5, I8. */
  replace(path: string, text: string, options?: ReplaceOptions): Promise<void>;
  /**
   * Adds to the end of a file. Survives the process, and a power cut only with `sync`; if it did not resolve, the text may
   * be cut short.
   */
  append(path: string, text: string, options?: { sync?: boolean }): Promise<void>;
  /** Renames `path` to the first free `path.corrupt-<n>` and resolves with that name. */
  quarantine(path: string): Promise<string>;
}

export interface RemovableFiles extends Files {
  /**
   * Resolves when the file is gone, also if it was not there. With `isIt`, one with another text stays, also if it was put
   * there a moment ago.
   */
  remove(path: string, isIt?: (text: string) => boolean): Promise<void>;
}

export interface ReplaceOptions {
  /** Absent: the mode of the former file, or 0640. */
  mode?: number;
  /** A user's number, for a program that runs as root and writes for another. */
  owner?: number;
  /** Called when the new file only needs its name; if it rejects, so does `replace`, and the old file stays. */
  beforeCommit?: () => Promise<void>;
}
