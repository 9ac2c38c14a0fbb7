import type { ErrorCode, RelaygateErrorOptions } from '@relaygate/shared/relaygate-error';
import { DeviceRefusal } from '../ipc/device-refusal';
import { anyCauseText, REFUSALS } from '../locales/en/refusals';
import { sentenceOf } from '../locales/sentence';
import type { Refusals } from './refusal';

/** What the agent refuses. The guard sends no sentences, see guard-refused.ts. */
export function refused<Code extends keyof Refusals & string>(
  error: ErrorCode,
  code: Code,
  values: Refusals[Code],
  options?: RelaygateErrorOptions,
): DeviceRefusal {
  const reason = { code, values: Object(values) };
  return new DeviceRefusal(error, reason, sentenceOf(reason, REFUSALS, anyCauseText) ?? code, options);
}
