import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import type { Openers } from '../doctor/check-context';
import { orElse } from '../runtime/or-else';
import { codeOf } from '../runtime/problem';

const NOT_ALLOWED: readonly string[] = ['EACCES', 'EPERM'];
/** This process is always there; a service that sees only its own processes (ProtectProc=) does not see it. */
const FIRST_PID = '1';

/** The processes that have the file open. `isWhole`: this user may look at all of them, as root may. */
export function openersOf(path: string): Openers {
  const target = orElse(() => realpathSync(path), path);
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  let isWhole = pids.includes(FIRST_PID);
  const openers = pids.flatMap((pid) => {
    const folder = `/proc/${pid}/fd`;
    let fds: string[] = [];
    try {
      fds = readdirSync(folder);
    } catch (error) {
      // Else the process is gone by now.
      if (NOT_ALLOWED.includes(codeOf(error))) isWhole = false;
    }
    const isOpen = fds.some((fd) => orElse(() => readlinkSync(`${folder}/${fd}`), '') === target);
    if (!isOpen) return [];
    // Each word of it ends with a zero byte.
    const words = orElse(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'), '').split('\0');
    return [{ pid: Number(pid), commandLine: words.join(' ').trim() }];
  });
  return { openers, isWhole };
}
