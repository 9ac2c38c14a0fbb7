import type { ReplaceOptions } from './files';

/** A new file that is durable under a name of its own, so that a full disk shows before the old one is gone. */
export interface StagedFile {
  /** Replaces the old file; needs no room. Durable when it resolves. */
  commit(): Promise<void>;
  /** The old file stays. */
  discard(): Promise<void>;
}

export type StageFile = (path: string, text: string, options?: ReplaceOptions) => Promise<StagedFile>;
