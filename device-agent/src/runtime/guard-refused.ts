import type { ErrorCode, RelaygateErrorOptions } from '@relaygate/shared/relaygate-error';
import { DeviceRefusal } from '../ipc/device-refusal';
import type { ValuesOf } from '../locales/catalogue';
import type { GUARD_REFUSALS } from '../locales/en/guard-refusals';

type GuardRefusals = ValuesOf<typeof GUARD_REFUSALS>;

/** What the guard refuses, without a sentence: GuardClient looks that up. */
export function refusedByGuard<Code extends keyof GuardRefusals>(
  error: ErrorCode,
  code: Code,
  values: GuardRefusals[Code],
  options?: RelaygateErrorOptions,
): DeviceRefusal {
  return new DeviceRefusal(error, { code, values }, code, options);
}
