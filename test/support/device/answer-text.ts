import { causeText } from '@relaygate/device-agent/locales/en/causes';
import type { DriveResult } from '@relaygate/device-agent/relay/relay-driver';

/** A board's answer, with what failed as a sentence. */
export async function inEnglish(answer: Promise<DriveResult>): Promise<object> {
  const result = await answer;
  return result.kind === 'failed' ? { ...result, problem: causeText(result.problem) } : result;
}
