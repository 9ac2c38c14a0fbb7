import { type Cancel, type Clock, OWNER_AGAIN_MS } from '@relaygate/shared';
import type { LinkRegistry } from './link-registry';

export interface HandOverDeps {
  registry: Pick<LinkRegistry, 'all'>;
  /** Whether a command of the product is in flight here. */
  isAtWork(productLogin: string): boolean;
  clock: Clock;
}

/**
 * Of a node that stops: ends each link as soon as no command is at work on it, so that its device goes to another node, which nothing
 * keeps waiting for commands of other devices here. The devices spread their return themselves. Returns what ends it.
 */
export function handOver({ registry, isAtWork, clock }: HandOverDeps): Cancel {
  let cancel: Cancel = () => {};
  const endIdle = (): void => {
    for (const link of registry.all()) if (!isAtWork(link.productLogin)) link.closeForRestart();
    cancel = clock.after(OWNER_AGAIN_MS, endIdle);
  };
  endIdle();
  return () => cancel();
}
