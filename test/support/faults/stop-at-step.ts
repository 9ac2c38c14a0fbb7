/**
 * Preloaded into a program: from SIGUSR2 on it stops itself, as by SIGSTOP, before that step at its disk which
 * STOP_AT_STEP says, the first being 1. A step is a call that changes files or makes them durable; the agent's log of events,
 * which lies in memory on a device, is none of them.
 */
import { type promises as Promises, promises } from 'node:fs';

const STEPS = ['rm', 'open', 'rename', 'link', 'unlink'] as const;
const STEPS_OF_FILE = ['chmod', 'writeFile', 'sync', 'datasync'] as const;

const EVENTS = /\/events\.jsonl(\.new)?$/;

const stopAt = Number(process.env.STOP_AT_STEP);
let isArmed = false;
let steps = 0;

function countStep(): void {
  if (!isArmed) return;
  steps += 1;
  // Each thread of this process stands still before this call returns.
  if (steps === stopAt) process.kill(process.pid, 'SIGSTOP');
}

/** Open files of the log of events. */
const uncounted = new WeakSet<object>();

/** Calls of this name count from now on. */
function counted(target: object, name: string): void {
  const before: (...args: unknown[]) => unknown = Reflect.get(target, name);
  Reflect.set(target, name, function (this: object, ...args: unknown[]): unknown {
    if (uncounted.has(this)) return before.apply(this, args);
    if (!EVENTS.test(String(args[0]))) {
      countStep();
      return before.apply(this, args);
    }
    const result = before.apply(this, args);
    if (name !== 'open') return result;
    return (result as Promise<object>).then((file) => {
      uncounted.add(file);
      return file;
    });
  });
}

const open = promises.open;
for (const name of STEPS) counted(promises, name);

process.once('SIGUSR2', () => {
  void (async () => {
    // All files of this kind have one prototype, and only a file shows it.
    const file: Promises.FileHandle = await open('/dev/null');
    for (const name of STEPS_OF_FILE) counted(Object.getPrototypeOf(file), name);
    await file.close();
    isArmed = true;
    process.stdout.write('steps are counted\n');
  })();
});
