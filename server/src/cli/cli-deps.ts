import type { KeyObject } from 'node:crypto';
import type { Randomness, ServerSettings, WallClock } from '@relaygate/shared';
import type { ArchiveFiles, ArchiveStore } from '../audit/archive-store';
import type { AuditStore, NameStore } from '../audit/audit-store';
import type { OutsideEvidence } from '../audit/kept-outside';
import type { CheckedCopy, CopyProgress, MigratedDatabase, MigrationProgress } from '../checked-copy';
import type { ClientStore } from '../clients/client-store';
import type { ProductStore } from '../products/product-store';

export interface OperatorStore extends ClientStore, ProductStore, AuditStore, NameStore, ArchiveStore {
  close(): Promise<void>;
}

/** The server and its database: main.ts passes them in, because this folder imports neither. */
export interface ServerAccess {
  /** Runs the server. Resolves with the exit code when it has ended. */
  start(settings: ServerSettings): Promise<number>;
  /**
   * Opens the database, which a running server may use at the same time. `mustExist`: fails instead of making a new one.
   * `showNotice` gets sentences about a migration, or that the database may be a copy.
   */
  openStore(
    settings: ServerSettings,
    options: { mustExist: boolean; systemUser: string; showNotice(text: string): void },
  ): Promise<OperatorStore>;
  /** Empties the database's write-ahead log, which holds what was erased. A sentence for people if something keeps it nevertheless. */
  keptBehind(settings: ServerSettings): string | undefined;
  /** True if a server runs on the database. */
  isServerRunning(settings: ServerSettings): Promise<boolean>;
  /** Writes a checked copy of the database to a new file; a server may run. */
  backUp(settings: ServerSettings, file: string, progress: CopyProgress): Promise<CheckedCopy>;
  /** Replaces the database by a backup. `replacedFile`: the new name of the old database. `checkpointFault`: a warning. */
  restore(
    settings: ServerSettings,
    wanted: { file: string; isNew: boolean; systemUser: string },
    progress: CopyProgress,
  ): Promise<CheckedCopy & { replacedFile: string | null; checkpointFault: string | null }>;
  /** Copies the data folder's database into an empty PostgreSQL database; no server may run. A signal stops it in order. */
  migrateStorage(settings: ServerSettings, systemUser: string, progress: MigrationProgress): Promise<MigratedDatabase>;
  /** The newest checkpoint of the audit, from `file` if it is given, and the key that checkpoints are made with. */
  auditEvidence(settings: ServerSettings, file: string | undefined): Omit<OutsideEvidence, 'expected'>;
  /** The key alone; undefined if there is none. */
  auditKey(settings: ServerSettings): KeyObject | undefined;
  archiveFiles: ArchiveFiles;
  /** Waits between two writes of a long command, so that a running server can write meanwhile. */
  pauseBetweenWrites(): Promise<void>;
}

/** What the commands need. */
export interface CliDeps extends ServerAccess {
  env: Readonly<Record<string, string | undefined>>;
  /** Who runs this command, for the audit. */
  systemUser(): string;
  /**
   * Prints whole lines on stdout, without the last line feed, as the last answer of a command. Resolves when the system has
   * taken them or their reader has gone; else rejects with an OutputFailed. Control characters are escaped in all printed texts.
   */
  print(text: string): Promise<void>;
  /** Writes text with its line feeds on stdout. Resolves when the system has taken it; rejects with an OutputFailed. */
  write(text: string): Promise<void>;
  printError(text: string): void;
  randomness: Randomness;
  wallClock: WallClock;
}
