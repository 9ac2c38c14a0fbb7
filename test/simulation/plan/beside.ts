import type { SeededChance } from '../../support/chance/seeded-chance';
import type { LocalRequest } from '../people/local-request';
import { type Fault, machineOf, type PlannedStep, type Scope } from './plan';

/**
 * What happens to other outputs of a board while something is wrong with one, and to a device whose disk has just come right:
 * none of it is an excuse.
 */
export function drawBeside(chance: SeededChance, { products, untilMs }: Scope): PlannedStep[] {
  if (chance.fraction() < 0.7) return [];
  const product = chance.between(0, products.length - 1);
  const machine = machineOf(product);
  const atMs = chance.between(1_500, untilMs - 6_000);
  const steps: PlannedStep[] = [];
  const ask = (ms: number, request: LocalRequest): void =>
    void steps.push({ atMs: atMs + ms, do: 'technician', product, request });
  const happen = (ms: number, fault: Fault): void => void steps.push({ atMs: atMs + ms, do: 'fault', fault });
  const put = (ms: number, numOutput: number, state: 0 | 1): void => ask(ms, { type: 'set', numOutput, state });
  if (chance.fraction() < 0.4) {
    for (const numOutput of [0, 1]) put(0, numOutput, 0);
    happen(500, { kind: 'disk', machine, mode: 'fails', forMs: 300 });
    for (const numOutput of [0, 1]) put(chance.between(1_000, 3_000), numOutput, 1);
    happen(4_500, { kind: 'power-cut', machine, offMs: chance.between(100, 1_000) });
    return steps;
  }
  const output = chance.between(0, 3);
  const others = [0, 1, 2, 3].filter((n) => n !== output);
  for (const numOutput of others) put(chance.between(0, 900), numOutput, 1);
  put(200, output, 1);
  const forMs = chance.between(1_000, 4_000);
  happen(600, { kind: 'stuck-relay', machine, output, forMs });
  put(chance.between(700, 1_500), output, 0);
  if (chance.fraction() < 0.5) {
    const change = { mode: chance.pick('on-off', 'impulse') } as const;
    ask(chance.between(2_000, 5_000), { type: 'output', numOutput: output, change, force: true });
  }
  if (chance.fraction() < 0.8) {
    const restartMs = chance.between(20, 300);
    happen(chance.between(1_000, 600 + forMs), { kind: 'kill', process: `guard ${machine}`, restartMs });
  }
  for (const numOutput of others) put(chance.between(1_500, 5_000), numOutput, 1);
  return steps;
}
