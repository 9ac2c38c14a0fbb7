import { RelaygateError } from '@relaygate/shared';
import { PIN_DIGITS } from '../../local/pin-record';
import type { PinGate } from '../pin/pin-gate';

const PIN = new RegExp(`^\\d{${PIN_DIGITS}}$`);

/** Why this PIN does not open; null: it does. What cannot be a PIN is no try, as at the console; `tried`: it was one. */
export async function logInProblem(
  gate: Pick<PinGate, 'check'>,
  pin: string,
  tried: () => void,
): Promise<RelaygateError | null> {
  if (!PIN.test(pin)) return new RelaygateError('wrong-pin', `The PIN has ${PIN_DIGITS} digits.`);
  const verdict = await gate.check(pin, 'page');
  if (verdict.ok) return null;
  switch (verdict.problem) {
    case 'no-pin':
      return new RelaygateError('no-pin');
    case 'wait':
      return new RelaygateError('too-many-requests', `Too many wrong PINs: wait ${verdict.waitS} s.`, {
        retryAfterSeconds: Math.max(1, verdict.waitS),
      });
    case 'wrong': {
      tried();
      const wait = verdict.waitS > 0 ? ` Wait ${verdict.waitS} s before the next try.` : '';
      const options = verdict.waitS > 0 ? { retryAfterSeconds: verdict.waitS } : {};
      return new RelaygateError('wrong-pin', `This is not the PIN of this device.${wait}`, options);
    }
    default:
      return verdict satisfies never;
  }
}
