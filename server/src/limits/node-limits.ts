import type { Clock, ServerSettings } from '@relaygate/shared';
import { Budgets } from './budgets';
import { FailureCounter } from './failure-counter';
import { type WriteBudgets, type WriteLimits, writeBudgets } from './write-budgets';

/** What a node counts by client, product and address. */
export interface NodeLimits {
  commands: Readonly<Record<'products' | 'clients', Budgets>>;
  writes: WriteBudgets;
  failures: FailureCounter;
}

export interface NodeLimitsDeps {
  settings: Pick<ServerSettings, 'productCommandsPerMinute' | 'clientCommandsPerMinute'>;
  clock: Clock;
  /** For tests: limits other than the usual ones. */
  writeLimits?: Partial<WriteLimits> | undefined;
}

export function nodeLimits({ settings, clock, writeLimits }: NodeLimitsDeps): NodeLimits {
  return {
    commands: {
      products: Budgets.perMinute(clock, Number(settings.productCommandsPerMinute)),
      clients: Budgets.perMinute(clock, Number(settings.clientCommandsPerMinute)),
    },
    writes: writeBudgets(clock, writeLimits),
    failures: new FailureCounter(clock),
  };
}
