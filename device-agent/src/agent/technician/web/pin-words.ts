import { ERRORS, RelaygateError } from '@relaygate/shared';
import { PIN_DIGITS, PIN_PATTERN } from '../../../files/pin-record';
import type { Visitor } from '../pin/page-tries';
import type { PinGate } from '../pin/pin-gate';

/**
 * Lets a visitor in: resolves with the token of their browser. Rejects with RelaygateError. A text that cannot be a PIN is
 * no try, as at the console; `tried` is called after a wrong PIN.
 */
export async function admit(
  gate: Pick<PinGate, 'check'>,
  pin: string,
  visitor: Visitor,
  tried: () => void,
): Promise<string> {
  if (!PIN_PATTERN.test(pin)) throw new RelaygateError('wrong-pin', `The PIN has ${PIN_DIGITS} digits.`);
  const verdict = await gate.check(pin, visitor);
  if (verdict.ok) return verdict.browserToken ?? '';
  switch (verdict.problem) {
    case 'no-pin':
      throw new RelaygateError('no-pin');
    case 'wait': {
      const options = { retryAfterSeconds: Math.max(1, verdict.waitS) };
      if (verdict.byOthers)
        throw new RelaygateError(
          'too-many-strangers',
          `${ERRORS['too-many-strangers'].meaning} Or wait ${verdict.waitS} s.`,
          options,
        );
      throw new RelaygateError('too-many-requests', `Too many wrong PINs: wait ${verdict.waitS} s.`, options);
    }
    case 'wrong': {
      tried();
      const wait = verdict.waitS > 0 ? ` Wait ${verdict.waitS} s before the next try.` : '';
      const options = verdict.waitS > 0 ? { retryAfterSeconds: verdict.waitS } : {};
      throw new RelaygateError('wrong-pin', `This is not the PIN of this device.${wait}`, options);
    }
    default:
      throw verdict satisfies never;
  }
}
