import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';

export interface Opener {
  pid: number;
  commandLine: string;
}

/** The processes that have the file open, as far as this user may look: root sees all. */
export function openersOf(path: string): Opener[] {
  const target = or(() => realpathSync(path), path);
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    const folder = `/proc/${pid}/fd`;
    const isOpen = or(() => readdirSync(folder), []).some(
      (fd) => or(() => readlinkSync(`${folder}/${fd}`), '') === target,
    );
    if (!isOpen) return [];
    // Its words end with a zero byte each.
    const words = or(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'), '').split('\0');
    return [{ pid: Number(pid), commandLine: words.join(' ').trim() }];
  });
}

/** What may be gone by now, or is not for this user. */
function or<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}
