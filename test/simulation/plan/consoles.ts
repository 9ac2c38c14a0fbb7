import type { SeededChance } from '../../support/chance/seeded-chance';
import { CONSOLE, type Visit } from '../people/local-request';
import { type Fault, machineOf, type PlannedProduct, type PlannedStep, type Scope } from './plan';
import { drawCrash } from './wishes';

/** Of a hundred devices. */
const CONSOLE_PERCENT = 8;
/** From one PIN to the next: a wrong one is followed by half a second. */
const APART_MS = 900;
const MAKE_MS = 400;
/** Until the agent asks again. */
const RESTART_MS = 3_000;

export function withConsoles(chance: SeededChance, products: readonly PlannedProduct[]): PlannedProduct[] {
  return products.map((product) => ({ ...product, hasConsole: chance.fraction() * 100 < CONSOLE_PERCENT }));
}

/** PINs at a serial console: wrong ones until it waits, across a restart or a power cut, right ones, and those of before. */
export function drawConsoles(chance: SeededChance, { products, untilMs }: Scope): PlannedStep[] {
  return products.flatMap(({ hasConsole }, product) => (hasConsole ? drawConsole(chance, product, untilMs) : []));
}

function drawConsole(chance: SeededChance, product: number, untilMs: number): PlannedStep[] {
  const steps: PlannedStep[] = [];
  let atMs = chance.between(1_500, Math.max(1_500, untilMs - 9_000));
  const newPin = (): void => {
    steps.push({ atMs, do: 'technician', product, request: { type: 'new-pin' } });
    atMs += MAKE_MS;
  };
  const visit = (pin: Visit['pin'], pauseMs = 0): void => {
    const what = { numOutput: chance.between(0, 3), state: chance.pick<0 | 1>(0, 1) };
    steps.push({ atMs, do: 'visit', product, visit: { host: CONSOLE, pin, pauseMs, ...what } });
    atMs += APART_MS;
  };
  const crash = (): void => {
    const machine = machineOf(product);
    const kill: Fault = { kind: 'kill', process: `agent ${machine}`, restartMs: chance.between(20, 1_000) };
    const fault = chance.pick(kill, drawCrash(chance, machine));
    steps.push({ atMs: atMs - chance.between(0, APART_MS), do: 'fault', fault });
    atMs += RESTART_MS;
  };
  newPin();
  if (chance.fraction() < 0.4) visit('right');
  const wrong = chance.pick(1, 5, 5, 6);
  const crashAfter = chance.pick(wrong, chance.between(1, 2 * wrong));
  for (let n = 1; n <= wrong; n += 1) {
    visit('wrong');
    if (n === crashAfter) crash();
  }
  visit('right');
  if (chance.fraction() < 0.5) {
    newPin();
    const apartMs = atMs;
    visit('right', MAKE_MS + 300);
    atMs = apartMs + MAKE_MS;
    newPin();
    atMs += APART_MS;
    visit('old');
    visit('right');
  }
  return steps;
}
