import { createHash, randomBytes } from 'node:crypto';
import { closeSync, createReadStream, openSync, readdirSync, statSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createGunzip, gzipSync } from 'node:zlib';
import { RelaygateError } from '@relaygate/shared';
import type { ArchiveFiles, ArchiveSink, ArchiveSource } from '../audit/archive-store';
import { BrokenArchive } from '../audit/archive-text';
import { codeOf, messageOf } from '../foreign-error';
import { nameDurably, removeIfPossible, syncNamed } from './durable-file';

/** An archive shows who did what, like a backup. */
const FILE_MODE = 0o600;
const LEVEL = 9;
/** No record is nearly as long, but a file that is no archive may have one line of any length (I15). */
const MAX_LINE_CHARS = 1024 * 1024;

/** Each block is a gzip file of its own; one behind the other they are one gzip file, which any tool reads. */
export const archiveFiles: ArchiveFiles = {
  create: (file) => sinkOf(file, (block) => gzipSync(block, { level: LEVEL })),
  createPlain: (file) => sinkOf(file, (block) => Buffer.from(block)),

  open(file): ArchiveSource | undefined {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (!stat) return undefined;
    return {
      file: basename(file),
      sizeBytes: stat.size,
      sha256: () => sha256Of(file),
      lines: () => linesOf(file),
      sync: () => explained(file, () => syncNamed(file)),
    };
  },
};

/** The names of the halves that this process writes. */
const atWork = new Set<string>();

function sinkOf(file: string, bytesOf: (block: string) => Buffer): ArchiveSink {
  removeLeftHalves(file);
  // No other run gives the archive's name to this half, also if it writes the same archive.
  const half = `${file}.half-${process.pid}-${randomBytes(4).toString('hex')}`;
  const handle = explained(file, () => openSync(half, 'wx', FILE_MODE));
  atWork.add(basename(half));
  let isOpen = true;
  const close = (): void => {
    if (isOpen) closeSync(handle);
    isOpen = false;
    atWork.delete(basename(half));
  };
  return {
    write: (block) => explained(file, () => writeWhole(handle, bytesOf(block))),
    finish() {
      close();
      explained(file, () => nameDurably(half, file, { replaces: false }));
    },
    discard() {
      close();
      removeIfPossible(half);
    },
  };
}

/**
 * What killed runs have left, as far as possible. In a container, each run may have this process's id. Older versions named their half
 * without one.
 */
function removeLeftHalves(file: string): void {
  const folder = dirname(file);
  const begin = `${basename(file)}.half`;
  try {
    for (const name of readdirSync(folder)) {
      const left = name.startsWith(begin) && HALF_OF.exec(name.slice(begin.length));
      if (left && !isAtWork(name, left[1])) removeIfPossible(join(folder, name));
    }
  } catch {
    // They stay where the folder cannot be read.
  }
}

const HALF_OF = /^(?:-(\d+)-[0-9a-f]{8})?$/;

function isAtWork(name: string, pid: string | undefined): boolean {
  if (pid === undefined || Number(pid) === process.pid) return atWork.has(name);
  try {
    return process.kill(Number(pid), 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

function writeWhole(handle: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done);
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
}

async function* linesOf(file: string): AsyncGenerator<string> {
  const read = createReadStream(file);
  const unpacked = createGunzip();
  read.on('error', (error) => unpacked.destroy(error));
  let rest = '';
  try {
    for await (const chunk of read.pipe(unpacked).setEncoding('utf8')) {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > MAX_LINE_CHARS) throw new BrokenArchive('is no archive of an audit');
      yield* lines;
    }
  } catch (error) {
    throw error instanceof BrokenArchive ? error : new BrokenArchive(`cannot be read: ${messageOf(error)}`);
  } finally {
    read.destroy();
    unpacked.destroy();
  }
  if (rest !== '') throw new BrokenArchive('ends within a line');
}

/** Runs `work`, whose errors become `already-exists` or `folder-not-writable`. */
function explained<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') throw new RelaygateError('already-exists', `${file} is there already.`, { cause });
    const text = `${file} cannot be written: ${messageOf(cause)}. Nothing was removed.`;
    throw new RelaygateError('folder-not-writable', text, { cause });
  }
}
