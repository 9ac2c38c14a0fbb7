/** The storage's part of commands, without HTTP and links: the access is read, the command and its outcome are recorded. */
import { randomBytes } from 'node:crypto';
import { databaseFile } from '@relaygate/server/files/data-folder';
import { openReadConnection } from '@relaygate/server/storage/sqlite/database-file';
import { openSqliteStorage } from '@relaygate/server/storage/sqlite/sqlite-storage';
import type { Storage } from '@relaygate/server/storage/storage';
import { median } from '../distribution';
import { answerQuestions } from './load-process';

/** Stores commands until the database has so many. */
export interface CommandsWanted {
  dataDir: string;
  clientId: string;
  productLogins: readonly string[];
  commands: number;
}

export interface StoredCommands {
  /** Of both threads, for each of the last commands: the median of some windows. */
  cpuUs: number;
  /** Of the database, with all its indexes, and what its write-ahead log has of it. */
  bytes: number;
}

/** As many as the benchmark of commands has in flight; and more, where nothing is measured. */
const LANES = 32;
const FILLING_LANES = 256;
const WINDOWS = 5;
const WINDOW_COMMANDS = 1_000;

interface Opened {
  storage: Storage;
  commands: number;
}
const opened = new Map<string, Opened>();
let seq = 0;

answerQuestions(async (wanted: CommandsWanted): Promise<StoredCommands> => {
  const file = databaseFile(wanted.dataDir);
  const database = opened.get(file) ?? { storage: await openSqliteStorage({ file, writerName: 'bench' }), commands: 0 };
  opened.set(file, database);
  const measured = WINDOWS * WINDOW_COMMANDS;
  await store(database, wanted, Math.max(0, wanted.commands - measured - database.commands), FILLING_LANES);
  const windowsUs: number[] = [];
  while (database.commands < wanted.commands) {
    const before = process.cpuUsage();
    await store(database, wanted, WINDOW_COMMANDS, LANES);
    const { user, system } = process.cpuUsage(before);
    windowsUs.push((user + system) / WINDOW_COMMANDS);
  }
  return { cpuUs: median(windowsUs), bytes: bytesOf(file) };
});

async function store(database: Opened, wanted: CommandsWanted, count: number, lanes: number): Promise<void> {
  const lastOf = database.commands + count;
  const lane = async (): Promise<void> => {
    while (database.commands < lastOf) {
      database.commands += 1;
      await storeOne(database.storage, wanted);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

async function storeOne(storage: Storage, { clientId, productLogins }: CommandsWanted): Promise<void> {
  const productLogin = productLogins[Math.floor(Math.random() * productLogins.length)] ?? '';
  const state = Math.random() < 0.5 ? 0 : 1;
  const access = await storage.readAccess(clientId, productLogin, 0);
  if (!access?.associated) throw new Error(`${productLogin} is not associated`);
  const commandId = newCommandId();
  const asked = { commandId, productLogin, clientId, numOutput: 0, action: 'set', state, bootId: 'boot-1' } as const;
  await storage.recordCommand({ ...asked, acceptedAtMs: Date.now(), outcome: 'pending', reason: null });
  seq += 1;
  const observed = { numOutput: 0, state, version: { epoch: 1, seq } } as const;
  const resolved = { commandId, productLogin, outcome: 'executed', reason: null, observed } as const;
  await storage.recordOutcome({ ...resolved, resolvedAtMs: Date.now() });
}

/** Like the server's, a UUID version 7: the index of ids grows at its end. */
function newCommandId(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  const random = randomBytes(9).toString('hex');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-8${random.slice(3, 6)}-${random.slice(6)}`;
}

function bytesOf(file: string): number {
  const db = openReadConnection(file);
  try {
    return Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }));
  } finally {
    db.close();
  }
}
