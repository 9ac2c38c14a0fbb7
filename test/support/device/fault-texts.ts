import { causeText } from '@relaygate/device-agent/locales/en/causes';
import { faultText } from '@relaygate/device-agent/locales/fault-text';
import type { DriveResult } from '@relaygate/device-agent/relay/relay-driver';
import type { Fault } from '@relaygate/device-agent/runtime/fault';

/** A board's answer, with what failed as a sentence. */
export async function inEnglish(answer: Promise<DriveResult>): Promise<object> {
  const result = await answer;
  return result.kind === 'failed' ? { ...result, problem: causeText(result.problem) } : result;
}

/** The sentences of a guard's or an agent's faults. */
export function textsOf(faults: readonly Fault[]): string[] {
  return faults.map((fault) => faultText(fault));
}
