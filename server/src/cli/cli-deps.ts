import type { Randomness, ServerSettings, WallClock } from '@relaygate/shared';
import type { AuditStore } from '../audit/audit-store';
import type { ClientStore } from '../clients/client-store';
import type { CheckedCopy, CopyProgress } from '../database-copy';
import type { ProductStore } from '../products/product-store';

export interface OperatorStore extends ClientStore, ProductStore, AuditStore {
  close(): Promise<void>;
}

/** The server and its database, as main.ts passes them in: this folder imports neither. */
export interface ServerAccess {
  /** Runs the server; resolves with the exit code when it has ended. */
  start(settings: ServerSettings): Promise<number>;
  /** The server's database, which may be in use beside us. `mustExist`: fail rather than make a new one. */
  openStore(settings: ServerSettings, options: { mustExist: boolean; systemUser: string }): Promise<OperatorStore>;
  /** Whether a server runs on the data folder. */
  isServerRunning(settings: ServerSettings): boolean;
  /** A checked copy of the database in a new file, beside a running server. */
  backUp(settings: ServerSettings, file: string, progress: CopyProgress): Promise<CheckedCopy>;
  /** Puts a backup in the database's place, which is kept aside under the name that is returned. */
  restore(
    settings: ServerSettings,
    wanted: { file: string; isNew: boolean; systemUser: string },
    progress: CopyProgress,
  ): Promise<CheckedCopy & { keptAside: string | null }>;
}

/** What the commands need. */
export interface CliDeps extends ServerAccess {
  env: Readonly<Record<string, string | undefined>>;
  /** Who runs this command, for the audit. */
  systemUser(): string;
  /** Whole lines, without the line feed; like all that is printed, made plain: texts of others move no cursor. */
  print(text: string): void;
  /** Text with its line feeds, on stdout. Resolves when it is out of our hands; rejects with an OutputFailed. */
  write(text: string): Promise<void>;
  printError(text: string): void;
  randomness: Randomness;
  wallClock: WallClock;
}
