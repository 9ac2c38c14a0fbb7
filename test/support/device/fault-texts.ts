import type { Fault } from '@relaygate/device-agent/words/faults/fault';
import { faultText } from '@relaygate/device-agent/words/faults/fault-text';

/** The sentences of a guard's or an agent's faults. */
export function textsOf(faults: readonly Fault[]): string[] {
  return faults.map((fault) => faultText(fault));
}
