import type { ErrorCode, RelaygateErrorOptions } from '@relaygate/shared/relaygate-error';
import { DeviceRefusal } from '../ipc/device-refusal';
import type { ValuesOf } from '../locales/catalogue';
import { anyCauseText, REFUSALS } from '../locales/en/refusals';
import { sentenceOf } from '../locales/sentence';

export type Refusals = ValuesOf<typeof REFUSALS>;

/** What the agent refuses. The guard sends no sentences, see guard-refused.ts. */
export function refused<Code extends keyof Refusals>(
  error: ErrorCode,
  code: Code,
  values: Refusals[Code],
  options?: RelaygateErrorOptions,
): DeviceRefusal {
  const reason = { code, values: Object(values) };
  return new DeviceRefusal(error, reason, sentenceOf(reason, REFUSALS, anyCauseText) ?? code, options);
}

/** `output-not-found`, for a device of `count` outputs. */
export function noSuchOutput(numOutput: number, count: number): DeviceRefusal {
  return refused('output-not-found', 'no-such-output', { numOutput, count });
}
