import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const NS_PER_MS = 1e6;
/** USER_HZ, in which /proc/stat counts on every architecture. */
const TICKS_PER_SECOND = 100;
/** In the line `cpu user nice system idle iowait irq softirq steal ...` of /proc/stat (proc(5)). */
const STEAL_FIELD = 8;

/**
 * How long each thread of a process was ready to run and had no processor, in milliseconds in all since it began: the
 * second field of /proc/PID/task/TID/schedstat (Documentation/scheduler/sched-stats.rst). None once it has ended.
 */
export function processorWaitsMs(pid: number): Map<string, number> {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return new Map(threads.map((thread) => [thread, waitOf(`/proc/${pid}/task/${thread}/schedstat`)]));
  } catch {
    return new Map();
  }
}

/** What the host of a virtual machine took from one of its processors, in milliseconds since the start; 0 on a real one. */
export function stolenMs(): number {
  const [all = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  return (Number(all.split(/\s+/)[STEAL_FIELD] ?? 0) * 1000) / TICKS_PER_SECOND / availableParallelism();
}

function waitOf(file: string): number {
  return Number(readFileSync(file, 'utf8').split(' ')[1]) / NS_PER_MS;
}
