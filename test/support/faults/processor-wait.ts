import { readdirSync, readFileSync } from 'node:fs';

const NS_PER_MS = 1e6;
/** USER_HZ, in which /proc/stat counts on every architecture. */
const TICKS_PER_SECOND = 100;
/** In the line `cpu user nice system idle iowait irq softirq steal ...` of /proc/stat (proc(5)). */
const STEAL_FIELD = 8;

/**
 * How long the threads of a process were ready to run and had no processor, in milliseconds in all since they began: the
 * second field of /proc/PID/task/TID/schedstat (Documentation/scheduler/sched-stats.rst). 0 where the kernel does not tell.
 */
export function processorWaitMs(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.reduce((sum, thread) => sum + waitOf(`/proc/${pid}/task/${thread}/schedstat`), 0);
  } catch {
    // It has ended.
    return 0;
  }
}

/** What the host of a virtual machine took from all its processors, in milliseconds since the start; 0 on a real one. */
export function stolenMs(): number {
  const [all = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  return (Number(all.split(/\s+/)[STEAL_FIELD] ?? 0) * 1000) / TICKS_PER_SECOND;
}

function waitOf(file: string): number {
  return Number(readFileSync(file, 'utf8').split(' ')[1]) / NS_PER_MS;
}
