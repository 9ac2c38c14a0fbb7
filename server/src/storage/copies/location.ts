import { createHash } from 'node:crypto';
import { type BigIntStats, readFileSync, statSync } from 'node:fs';
import type { Sql, Transaction } from '../sql';

/** Where the file of a database is. It stays the same where the file or its folder is renamed on one disk; a copy has another one. */
export interface Location {
  /** Of a machine's id, which people keep to themselves; the same for all that have none. */
  machine: string;
  /** Counts only where `born` is not known: of one disk it may be another at each start of the machine (btrfs, overlayfs, USB). */
  device: string;
  inode: string;
  /** When the file was made, in ns: a copy may get the inode of an original that was removed. Null where the disk does not say it. */
  born: string | null;
}

/** What the system says of a file. */
type FileStats = Pick<BigIntStats, 'dev' | 'ino' | 'birthtimeNs' | 'ctimeNs'>;

export function locationOf(file: string, stats: FileStats = statSync(file, { bigint: true })): Location {
  const { dev, ino, birthtimeNs, ctimeNs } = stats;
  // Where the system does not know it, Node gives 0, or the time of the last change.
  const isKnown = birthtimeNs !== 0n && birthtimeNs !== ctimeNs;
  const machine = createHash('sha256').update(`relaygate ${machineId()}`).digest('hex').slice(0, MACHINE_CHARS);
  return { machine, device: String(dev), inode: String(ino), born: isKnown ? String(birthtimeNs) : null };
}

const MACHINE_CHARS = 16;

function machineId(): string {
  try {
    return readFileSync('/etc/machine-id', 'utf8').trim();
  } catch {
    return '';
  }
}

export function isSameLocation(one: Location, other: Location): boolean {
  return one.machine === other.machine && isSameFile(one, other);
}

/** As far as one machine can say it, whatever its id is: that of a container may be another one than that of its host. */
export function isSameFile(one: Location, other: Location): boolean {
  if (one.inode !== other.inode) return false;
  return one.born === null || other.born === null ? one.device === other.device : one.born === other.born;
}

/** Undefined: nobody has kept it yet. */
export function keptLocation(sql: Sql): Promise<Location | undefined> {
  return sql.get<Location>('SELECT machine, device, inode, born FROM location');
}

export async function keepLocation(sql: Transaction, { machine, device, inode, born }: Location): Promise<void> {
  await sql.run('DELETE FROM location');
  const insert = 'INSERT INTO location (machine, device, inode, born) VALUES ($1, $2, $3, $4)';
  await sql.run(insert, machine, device, inode, born);
}
