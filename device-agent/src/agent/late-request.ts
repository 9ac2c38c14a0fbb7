import { RelaygateError } from '@relaygate/shared';

/** I2, for what comes over a network: a tap moves nothing that long after it that nobody waits any more. */
export function lateProblem(notAfterMs: number | undefined, nowMs: number): RelaygateError | null {
  if (notAfterMs === undefined || nowMs < notAfterMs) return null;
  return new RelaygateError('refused', 'This came too late over the network; nothing was moved. Try again.');
}
