/** The guards that this process has started: whoever judges their pulses must know what the machine took from them. */
const pids = new Set<number>();
let tell = (_pid: number): void => {};

export function guardStarted(pid: number): void {
  pids.add(pid);
  tell(pid);
}

export function watchedGuards(): readonly number[] {
  return [...pids];
}

/** From now on of each guard, and of those that run already. */
export function onGuard(watch: (pid: number) => void): void {
  tell = watch;
  for (const pid of pids) watch(pid);
}
