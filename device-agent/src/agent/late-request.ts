import { RelaygateError } from '@relaygate/shared';

/** I2: what nobody waits for any more does not begin. null: it may. */
export function lateProblem(notAfterMs: number, nowMs: number): RelaygateError | null {
  if (nowMs < notAfterMs) return null;
  return new RelaygateError(
    'refused',
    'This came too late and was not begun: nothing was moved or changed. Try again.',
  );
}
