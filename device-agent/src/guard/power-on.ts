import { completeOutput } from '@relaygate/shared/complete-output';
import type { OutputSettings } from '@relaygate/shared/output-settings';
import type { Heartbeat } from './heartbeat';
import { isLimited, offAt } from './on-limit';

/** What state.json says of the time before this start. */
export interface RememberedState {
  /** The boot in which the guard last ran. */
  bootId: string | null;
  /** For `restore` outputs: whether the output was active. */
  active: ReadonlyMap<number, boolean>;
}

/** What a guard that ran earlier in this boot has left; CLOCK_MONOTONIC goes on over its end. */
export interface EarlierGuard {
  /** Since when outputs are on, by number. */
  onSinceMs: ReadonlyMap<number, number>;
  /** null: not known. */
  heartbeat: Heartbeat | null;
}

/** Whether some policy may want the output on when the guard starts; all others go off before anything is read. */
export function mayStartActive({ mode, powerOn }: OutputSettings): boolean {
  return mode !== 'impulse' && powerOn !== 'off';
}

/**
 * I5: which outputs the guard drives active when it starts. `on` belongs to power coming back, so it needs a new boot;
 * a guard that merely restarts brings back what `restore` outputs durably had. `remembered` null, when nothing can be
 * read: everything inactive. `earlier` null: no guard ran in this boot.
 */
export function powerOnActive(
  outputs: readonly OutputSettings[],
  remembered: RememberedState | null,
  earlier: EarlierGuard | null,
  nowMs: number,
): boolean[] {
  const wanted = outputs.map((output, numOutput) => {
    if (!mayStartActive(output) || remembered === null) return false;
    const { powerOn } = output;
    switch (powerOn) {
      case 'off':
        return false;
      case 'on':
        return earlier === null;
      case 'restore':
        return remembered.active.get(numOutput) === true && nowMs < onUntilMs(output, numOutput, earlier);
      default:
        return powerOn satisfies never;
    }
  });
  return wanted.map((isActive, n) => isActive && !isLocked(outputs, wanted, n));
}

/**
 * Until when an output that is on may stay on by its policies, on the guard's clock. I14: if nobody knows how long it has
 * been on in this boot, its time is over.
 */
export function onUntilMs(output: OutputSettings, numOutput: number, earlier: EarlierGuard | null): number {
  const rules = completeOutput(output);
  if (earlier === null || !isLimited(rules)) return Number.POSITIVE_INFINITY;
  const sinceMs = earlier.onSinceMs.get(numOutput);
  if (sinceMs === undefined || earlier.heartbeat === null) return Number.NEGATIVE_INFINITY;
  return offAt(rules, sinceMs, earlier.heartbeat).atMs;
}

/** I14: only the first output of an interlock group that is to be on goes on. */
function isLocked(outputs: readonly OutputSettings[], wanted: readonly boolean[], numOutput: number): boolean {
  const group = outputs[numOutput]?.interlock ?? null;
  return group !== null && outputs.some((other, n) => n < numOutput && wanted[n] === true && other.interlock === group);
}

export function isRestored({ mode, powerOn }: OutputSettings): boolean {
  return mode === 'on-off' && powerOn === 'restore';
}
