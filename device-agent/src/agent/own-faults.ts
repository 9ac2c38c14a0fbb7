import type { GuardStatus } from '../guard/protocol';
import { type Fault, fault } from '../runtime/fault';
import type { LinkView } from './link/device-link';

interface MayFail {
  readonly faults: readonly Fault[];
}

/** What is wrong with the agent and its files; `parts` in the order in which people read of them. */
export function ownFaults(
  guard: GuardStatus | null,
  { replaced, epoch }: LinkView,
  parts: readonly MayFail[],
): Fault[] {
  // I12: epochs only go up, so a server whose database was restored from a copy looks superseded.
  const isBehind = guard !== null && epoch !== null && guard.epoch > epoch;
  return [
    ...(isBehind ? [fault('epoch-behind', { epoch, guardEpoch: guard.epoch })] : []),
    ...parts.flatMap(({ faults }) => faults),
    ...(replaced > 0 ? [fault('key-elsewhere', { times: replaced })] : []),
  ];
}
