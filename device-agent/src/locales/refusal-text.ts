import type { RelaygateError } from '@relaygate/shared/relaygate-error';
import { DeviceRefusal } from '../ipc/device-refusal';
import type { Locale } from './locale';
import { sentenceOf } from './sentence';

/** What the agent refuses, in the reader's language. */
export function refusalText(error: RelaygateError, { refusals, causeText, otherError }: Locale): string {
  const known = refusals && error instanceof DeviceRefusal ? sentenceOf(error.reason, refusals, causeText) : null;
  return known ?? otherError(error.code, error.message);
}
