import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@relaygate/server/storage/sqlite/database-file';
import type { SeededChance } from '../../../support/chance/seeded-chance';

/** In memory: what is durable is decided here and by no kernel. */
const MEMORY = '/dev/shm';
const SECTOR_BYTES = 512;

let schema: Buffer | null = null;

/** A database with nothing but its schema, which takes longer to make than to copy. */
function empty(folder: string): Buffer {
  if (schema) return schema;
  const file = join(folder, 'schema.db');
  openDatabase(file).close();
  schema = readFileSync(file);
  return schema;
}

/**
 * The disk of the server: the database's files, as SQLite writes them. A power cut leaves what was synced of the
 * write-ahead log, and of what was written since some sectors, or none, or all.
 */
export class ServerDisk {
  readonly #folder: string;
  readonly #chance: SeededChance;
  #powerCuts = 0;
  /** The write-ahead log as it was synced, where something was written since that is not. */
  #synced: Buffer | null = null;

  constructor(chance: SeededChance) {
    this.#chance = chance;
    this.#folder = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'rg-simulation-'));
    writeFileSync(this.file, empty(this.#folder));
  }

  /** Another one after each power cut: nobody who had the old one open can touch it. */
  get file(): string {
    return join(this.#folder, `relaygate-${this.#powerCuts}.db`);
  }

  /** What is written from here on is not durable. */
  beginUnsynced(): void {
    this.#synced ??= this.#log();
  }

  /** All that was written is durable. */
  sync(): void {
    this.#synced = null;
  }

  /** Whether all that was written is there. Whoever has the database open must close it. */
  cutPower(): boolean {
    const written = this.#log();
    const left = this.#synced ? torn(this.#synced, written, this.#chance) : written;
    const database = readFileSync(this.file);
    this.#powerCuts += 1;
    this.#synced = null;
    writeFileSync(this.file, database);
    writeFileSync(logOf(this.file), left);
    return left.equals(written);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #log(): Buffer {
    const file = logOf(this.file);
    return existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  }
}

function logOf(file: string): string {
  return `${file}-wal`;
}

/** The sectors that differ were on their way to the disk, in any order. */
function torn(before: Buffer, after: Buffer, chance: SeededChance): Buffer {
  const sectors = Math.ceil(after.length / SECTOR_BYTES);
  const kind = chance.pick('none', 'all', 'first', 'some');
  if (kind === 'none') return before;
  if (kind === 'all') return after;
  const first = chance.between(Math.floor(before.length / SECTOR_BYTES), sectors);
  const isThere = (n: number): boolean => (kind === 'first' ? n < first : chance.fraction() < 0.8);
  const left = Buffer.from(after);
  let bytes = before.length;
  for (let n = 0; n < sectors; n += 1) {
    const from = n * SECTOR_BYTES;
    const until = Math.min(from + SECTOR_BYTES, after.length);
    if (after.subarray(from, until).equals(before.subarray(from, until))) continue;
    if (isThere(n)) bytes = Math.max(bytes, until);
    else left.fill(0, from, until).set(before.subarray(from, until), from);
  }
  return left.subarray(0, bytes);
}
