import { type OutputSettings, wholeOutput } from '@relaygate/shared';

/** What state.json tells of the time before this start. */
export interface RememberedState {
  /** The boot in which the guard last ran. */
  bootId: string | null;
  /** Of the `restore` outputs: whether the output was active. */
  active: ReadonlyMap<number, boolean>;
}

/** Whether some policy may want the output on when the guard starts; all others go off before anything is read. */
export function mayStartActive({ mode, powerOn }: OutputSettings): boolean {
  return mode !== 'impulse' && powerOn !== 'off';
}

/**
 * I5: which outputs the guard drives active when it starts. `on` belongs to power coming back, so it needs a new boot;
 * a guard that merely restarts brings back what `restore` outputs durably had. `null`, when nothing can be read:
 * everything inactive.
 */
export function powerOnActive(
  outputs: readonly OutputSettings[],
  remembered: RememberedState | null,
  bootId: string,
): boolean[] {
  const wanted = outputs.map((output, numOutput) => {
    if (!mayStartActive(output) || remembered === null) return false;
    const { powerOn, maxOnMs } = wholeOutput(output);
    switch (powerOn) {
      case 'off':
        return false;
      case 'on':
        return remembered.bootId !== bootId;
      case 'restore':
        // I14: how long it has been on in this boot only the guard before could tell.
        if (maxOnMs > 0 && remembered.bootId === bootId) return false;
        return remembered.active.get(numOutput) ?? false;
      default:
        return powerOn satisfies never;
    }
  });
  return wanted.map((isActive, n) => isActive && !isLocked(outputs, wanted, n));
}

/** I14: of an interlock group only the first one that is to be on goes on. */
function isLocked(outputs: readonly OutputSettings[], wanted: readonly boolean[], numOutput: number): boolean {
  const group = outputs[numOutput]?.interlock ?? null;
  return group !== null && outputs.some((other, n) => n < numOutput && wanted[n] === true && other.interlock === group);
}

export function isRestored({ mode, powerOn }: OutputSettings): boolean {
  return mode === 'on-off' && powerOn === 'restore';
}
