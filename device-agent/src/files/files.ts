/** Every file access of the domain: a port, so that crashes and full disks can be played. Rejects with the cause. */
export interface Files {
  /** The text, or null when there is no such file. */
  read(path: string): Promise<string | null>;
  /**
   * What was read there is durable when it resolves. A program that died may have shown a file and not synced it: whoever
   * believes that what it reads survives a power cut syncs it first. I8.
   */
  sync(path: string): Promise<void>;
  /** Durable when it resolves; after a crash at any moment the file is the old one or the new one. I5, I8. */
  replace(path: string, text: string, options?: ReplaceOptions): Promise<void>;
  /**
   * Adds to the end of a file. Survives the process; a power cut only with `sync`, and then as a whole, or cut short
   * where it did not resolve.
   */
  append(path: string, text: string, options?: { sync?: boolean }): Promise<void>;
  /** Renames `path` to the first free `path.corrupt-<n>` and resolves with that name. */
  quarantine(path: string): Promise<string>;
  /** Gone when it resolves, also when it was not there. */
  remove(path: string): Promise<void>;
}

export interface ReplaceOptions {
  /** Else that of the file before, or 0640. */
  mode?: number;
  /** A user's number, for a program that runs as root and writes for another. */
  owner?: number;
}
