/** What a process has cost so far, from /proc: all its threads, without its children. */
import { readFileSync } from 'node:fs';

/** USER_HZ, which Linux fixes for user space whatever the kernel's own tick is. */
const TICK_US = 10_000;
/** `utime` and `stime` of proc_pid_stat(5), counted from behind the name, which may hold spaces. */
const UTIME = 11;
const STIME = 12;

/** CPU time in user space and kernel, in microseconds (steps of 10,000). */
export function cpuUs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[UTIME]) + Number(fields[STIME])) * TICK_US;
}

/** Resident memory: pages that it shares with other processes count in full. */
export const rssBytes = (pid: number): number => kilobytes(`/proc/${pid}/status`, 'VmRSS') * 1024;

/** Proportional memory: a page shared by two processes counts half. */
export const pssBytes = (pid: number): number => kilobytes(`/proc/${pid}/smaps_rollup`, 'Pss') * 1024;

function kilobytes(file: string, row: string): number {
  const match = new RegExp(`^${row}:\\s+(\\d+) kB`, 'm').exec(readFileSync(file, 'utf8'));
  if (!match) throw new Error(`${file} has no ${row}`);
  return Number(match[1]);
}
