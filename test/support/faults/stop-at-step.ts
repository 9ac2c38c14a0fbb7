/**
 * Preloaded into a program: from SIGUSR2 on it stops itself, as by SIGSTOP, before that step at its disk which
 * STOP_AT_STEP says, the first being 1. A step is a call that changes files or makes them durable.
 */
import { type promises as Promises, promises } from 'node:fs';

const STEPS = ['rm', 'open', 'rename', 'link', 'unlink'] as const;
const STEPS_OF_FILE = ['chmod', 'writeFile', 'sync', 'datasync'] as const;

const stopAt = Number(process.env.STOP_AT_STEP);
let isArmed = false;
let steps = 0;

function countStep(): void {
  if (!isArmed) return;
  steps += 1;
  // Each thread of this process stands still before this call returns.
  if (steps === stopAt) process.kill(process.pid, 'SIGSTOP');
}

/** Calls of this name count from now on. */
function counted(target: object, name: string): void {
  const before: (...args: unknown[]) => unknown = Reflect.get(target, name);
  Reflect.set(target, name, function (this: unknown, ...args: unknown[]): unknown {
    countStep();
    return before.apply(this, args);
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
