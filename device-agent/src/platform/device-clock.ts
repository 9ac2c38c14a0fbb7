/** This machine's wall clock, and whether it was set: asked of the kernel. */
import { readdirSync, readFileSync } from 'node:fs';
import { systemWallClock } from '@relaygate/shared/system';
import { orElse } from '../runtime/or-else';
import type { DeviceClock } from '../runtime/wall-time';

/** This program did not exist before: a clock that shows less was never set. */
const SET_SINCE_MS = Date.UTC(2026, 0, 1);
/** No other clock keeps this one in step (STA_UNSYNC). */
const TIME_ERROR = 5;
/** More than `struct timex` has on any machine. Zeros change nothing. */
const TIMEX_BYTES = 512;

export interface ClockMachine {
  epochMs(): number;
  /** null: no such file. */
  textOf(path: string): string | null;
  namesIn(folder: string): string[];
  /** Whether the kernel counts its clock as kept in step with a time server's. */
  isSynchronised(): boolean;
}

const thisMachine: ClockMachine = {
  epochMs: () => systemWallClock.epochMs(),
  textOf: (path) => orElse(() => readFileSync(path, 'utf8'), null),
  namesIn: (folder) => orElse(() => readdirSync(folder), []),
  isSynchronised: () => isKernelSynchronised(),
};

export function deviceClock(machine: ClockMachine = thisMachine): DeviceClock {
  let isKnown = false;
  return {
    epochMs: () => machine.epochMs(),
    isSet() {
      if (machine.epochMs() < SET_SINCE_MS) return false;
      isKnown ||= isKept(machine) || machine.isSynchronised();
      return isKnown;
    },
  };
}

/**
 * Whether something keeps the clock while the machine is off. Only machines that a device tree describes may lack that;
 * there the kernel says whether a battery's clock has set its own (hctosys). One without its battery shows 1970.
 */
function isKept(machine: ClockMachine): boolean {
  if (machine.textOf('/proc/device-tree/compatible') === null) return true;
  return machine.namesIn('/sys/class/rtc').some((name) => {
    const folder = `/sys/class/rtc/${name}`;
    const hasSetSystem = machine.textOf(`${folder}/hctosys`)?.trim() === '1';
    return hasSetSystem && Number(machine.textOf(`${folder}/since_epoch`)) * 1_000 >= SET_SINCE_MS;
  });
}

/** adjtimex(2). The kernel forgets it after 9 hours without a time server; the caller remembers it. */
function isKernelSynchronised(): boolean {
  askKernel ??= kernelCall();
  const state = askKernel(Buffer.alloc(TIMEX_BYTES));
  return state >= 0 && state !== TIME_ERROR;
}

let askKernel: ((timex: Buffer) => number) | undefined;

function kernelCall(): (timex: Buffer) => number {
  const koffi: typeof import('koffi') = require('koffi');
  return koffi.load(null).func('int adjtimex(void *timex)');
}
