import { closeSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const NS_PER_MS = 1e6;
/** USER_HZ, in which /proc/stat counts on every architecture. */
const TICKS_PER_SECOND = 100;
/** In the line `cpu user nice system idle iowait irq softirq steal ...` of /proc/stat (proc(5)). */
const STEAL_FIELD = 8;
/** Longer than the numbers that are read. */
const READ_BYTES = 256;

const buffer = Buffer.alloc(READ_BYTES);

/** Of one thread, in milliseconds in all since it began. */
interface ThreadTimes {
  readonly ranMs: number;
  /** How long it was ready to run and had no processor. */
  readonly waitedMs: number;
}

/**
 * How long the threads of a process were ready to run and had no processor: the second field of
 * /proc/PID/task/TID/schedstat (Documentation/scheduler/sched-stats.rst). Their files stay open, for it is asked often.
 */
export class ThreadWaits {
  readonly #pid: number;
  readonly #files = new Map<string, { fd: number; waitedMs: number }>();

  constructor(pid: number) {
    this.#pid = pid;
    this.newlyWaitedMs();
  }

  /** Since this was asked last, of the thread that waited longest; 0 once the process has ended. `refresh`: with its new threads. */
  newlyWaitedMs(refresh = true): number {
    if (refresh) this.#openNew();
    let longestMs = 0;
    for (const [thread, file] of this.#files) {
      const times = timesIn(file.fd);
      if (!times) {
        closeSync(file.fd);
        this.#files.delete(thread);
        continue;
      }
      longestMs = Math.max(longestMs, times.waitedMs - file.waitedMs);
      file.waitedMs = times.waitedMs;
    }
    return longestMs;
  }

  close(): void {
    for (const { fd } of this.#files.values()) closeSync(fd);
    this.#files.clear();
  }

  #openNew(): void {
    for (const thread of threadsOf(this.#pid)) {
      // Whoever asks is no part of what is watched.
      if (this.#files.has(thread) || thread === ownThread()) continue;
      try {
        const fd = openSync(`/proc/${this.#pid}/task/${thread}/schedstat`, 'r');
        this.#files.set(thread, { fd, waitedMs: timesIn(fd)?.waitedMs ?? 0 });
      } catch {
        // It has just ended.
      }
    }
  }
}

let ownFd: number | undefined;

/** Of the thread that asks. */
export function ownTimes(): ThreadTimes {
  ownFd ??= openSync('/proc/thread-self/schedstat', 'r');
  return timesIn(ownFd) ?? { ranMs: 0, waitedMs: 0 };
}

let statFd: number | undefined;

/** What the host of a virtual machine took from one of its processors, in milliseconds since the start; 0 on a real one. */
export function stolenMs(): number {
  statFd ??= openSync('/proc/stat', 'r');
  const [all = ''] = textOf(statFd).split('\n');
  return (Number(all.split(/\s+/)[STEAL_FIELD] ?? 0) * 1000) / TICKS_PER_SECOND / availableParallelism();
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function ownThread(): string {
  return readlinkSync('/proc/thread-self').split('/').at(-1) ?? '';
}

/** undefined: the thread has ended. */
function timesIn(fd: number): ThreadTimes | undefined {
  try {
    const [ranNs, waitedNs] = textOf(fd).split(' ').map(Number);
    return { ranMs: (ranNs ?? 0) / NS_PER_MS, waitedMs: (waitedNs ?? 0) / NS_PER_MS };
  } catch {
    return undefined;
  }
}

function textOf(fd: number): string {
  return buffer.toString('latin1', 0, readSync(fd, buffer, 0, READ_BYTES, 0));
}
