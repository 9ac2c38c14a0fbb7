import type { KeyObject } from 'node:crypto';
import { type Clock, LIST_LIMITS, type ServerSettings } from '@relaygate/shared';
import { Budgets } from './budgets';
import { FailureCounter, failureNames } from './failure-counter';
import type { SharedLimits } from './shared-limits';
import { type WriteBudgets, type WriteLimits, writeBudgets } from './write-budgets';

/** What a node counts by client, product and address. */
export interface NodeLimits {
  commands: Readonly<Record<'products' | 'clients', Budgets>>;
  writes: WriteBudgets;
  /** Readings of lists, by client. Each node's own: what they bound is the work of this node. */
  lists: Budgets;
  failures: FailureCounter;
}

export interface NodeLimitsDeps {
  settings: Pick<ServerSettings, 'productCommandsPerMinute' | 'clientCommandsPerMinute'>;
  /** What all nodes of an installation have, and nobody else. */
  secret: KeyObject;
  clock: Clock;
  /** For tests: limits other than the usual ones. */
  writeLimits?: Partial<WriteLimits> | undefined;
}

export function nodeLimits({ settings, secret, clock, writeLimits }: NodeLimitsDeps): NodeLimits {
  return {
    commands: {
      products: Budgets.perMinute(clock, Number(settings.productCommandsPerMinute), 'product'),
      clients: Budgets.perMinute(clock, Number(settings.clientCommandsPerMinute), 'client'),
    },
    writes: writeBudgets(clock, writeLimits),
    lists: new Budgets(clock, LIST_LIMITS, 'lists'),
    failures: new FailureCounter(clock, failureNames(secret)),
  };
}

/** All of them but the lists, because a client, an address or a device may go to any node next. */
export function sharedLimits({ commands, writes, failures }: NodeLimits): SharedLimits {
  return { ...commands, ...writes, failures };
}
