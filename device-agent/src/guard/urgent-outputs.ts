import type { OutputView } from './guard-view';

/**
 * Outputs in the order in which they are switched off if this guard is killed: what pulses, soonest end first, then what is
 * on, then what may be.
 */
export function urgentOutputs(outputs: readonly Pick<OutputView, 'state' | 'pulseEndsMs'>[]): number[] {
  const numbered = outputs.map(({ state, pulseEndsMs }, numOutput) => ({ numOutput, state, endsMs: pulseEndsMs }));
  const pulsing = numbered.flatMap(({ endsMs, numOutput }) => (endsMs === undefined ? [] : [{ endsMs, numOutput }]));
  const others = numbered.filter(({ endsMs }) => endsMs === undefined);
  return [
    ...pulsing.sort((one, other) => one.endsMs - other.endsMs),
    ...others.filter(({ state }) => state === 1),
    ...others.filter(({ state }) => state === null),
  ].map(({ numOutput }) => numOutput);
}
