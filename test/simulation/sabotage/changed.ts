import * as machine from '@relaygate/device-agent/guard/output';
import type { Sabotage } from './sabotage';

type Step = typeof machine.step;

/** While it lasts, `name` is what `make` makes of it. */
export function changed<M extends object, K extends keyof M>(
  module: M,
  name: K,
  make: (original: M[K]) => M[K],
): () => void {
  const original = module[name];
  Reflect.set(module, name, make(original));
  return () => void Reflect.set(module, name, original);
}

/** The guard's outputs are what `make` makes of them. */
export const withStep = (make: (step: Step) => Step): Sabotage => ({ inside: () => changed(machine, 'step', make) });
