import { DeviceRefusal, refusingIn } from '../ipc/device-refusal';
import { REFUSALS } from '../locales/en/refusals';
import { problemOf } from './problem';
import type { Why } from './refusal';

/** What the agent refuses. The guard has words for its own refusals only (guard-refused.ts). */
export const refused = refusingIn(REFUSALS);

/** An error as part of another refusal's sentence. */
export function whyOf(error: unknown): Why {
  return { text: problemOf(error), ...(error instanceof DeviceRefusal ? { reason: error.reason } : {}) };
}
