import type { ErrorCode, RelaygateErrorOptions } from '@relaygate/shared/relaygate-error';
import { DeviceRefusal } from '../ipc/device-refusal';
import { REFUSALS } from '../locales/en/refusals';
import { problemOf } from './problem';
import type { Refusals, Why } from './refusal';

/** What the agent refuses. The guard sends no sentences, see guard-refused.ts. */
export function refused<Code extends keyof Refusals & string>(
  error: ErrorCode,
  code: Code,
  values: Refusals[Code],
  options?: RelaygateErrorOptions,
): DeviceRefusal {
  return new DeviceRefusal(error, { code, values: Object(values) }, REFUSALS[code](values), options);
}

/** An error as part of another refusal's sentence. */
export function whyOf(error: unknown): Why {
  return { text: problemOf(error), ...(error instanceof DeviceRefusal ? { reason: error.reason } : {}) };
}
