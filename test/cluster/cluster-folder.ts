import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pids } from '../support/processes/supervisor';

/** The files of one cluster, which are gone when it ends. */
export class ClusterFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'relaygate-cluster-'));
  /** Unix sockets of the devices: a path of its own, because it must be short (Node cuts it silently at 107 bytes). */
  readonly #runDir = mkdtempSync(join(tmpdir(), 'rg-'));
  readonly #logsDir = this.dataDir('logs');

  /** Of a program, for this user only. */
  dataDir(name: string): string {
    return newFolder(join(this.path, name));
  }

  runDir(name: string): string {
    return newFolder(join(this.#runDir, name));
  }

  /** For this user only. Gives its path. */
  write(file: string, text: string): string {
    const path = join(this.path, file);
    writeFileSync(`${path}.new`, text, { mode: 0o600 });
    renameSync(`${path}.new`, path);
    return path;
  }

  writePids(pids: Pids): void {
    this.write('pids.json', `${JSON.stringify(pids)}\n`);
  }

  appendLog(name: string, line: string): void {
    appendFileSync(join(this.#logsDir, `${name}.log`), `${line}\n`, { mode: 0o600 });
  }

  remove(): void {
    for (const folder of [this.path, this.#runDir]) rmSync(folder, { recursive: true, force: true });
  }
}

function newFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return path;
}
