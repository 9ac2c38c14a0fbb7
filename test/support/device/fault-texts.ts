import { faultText } from '@relaygate/device-agent/locales/fault-text';
import type { Fault } from '@relaygate/device-agent/runtime/fault';

/** The sentences of a guard's or an agent's faults. */
export function textsOf(faults: readonly Fault[]): string[] {
  return faults.map((fault) => faultText(fault));
}
