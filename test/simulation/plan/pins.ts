import type { SeededChance } from '../../support/chance/seeded-chance';
import type { Visit } from '../people/local-request';
import { machineOf, type PlannedStep, type Scope } from './plan';
import { drawCrash } from './wishes';

/** For so long the page is on. */
const PAGE_MS = 600_000;
/** Until it is there. */
const OPEN_MS = 400;
/** From one visit to the next. */
const APART_MS = 150;

/** PINs that are made and tried at the technician's page: wrong ones until it waits, right ones, and those of before. */
export function drawPins(chance: SeededChance, { products, untilMs }: Scope): PlannedStep[] {
  if (chance.fraction() < 0.7) return [];
  const product = chance.between(0, products.length - 1);
  let atMs = chance.between(1_500, Math.max(1_500, untilMs - 4_000));
  const beganMs = atMs;
  const steps: PlannedStep[] = [];
  const technician = (type: 'new-pin' | 'web-on'): void => {
    const request = type === 'new-pin' ? { type } : { type, forMs: PAGE_MS, hotspot: false as const };
    steps.push({ atMs, do: 'technician', product, request });
    atMs += OPEN_MS;
  };
  const visit = (host: string, pin: Visit['pin'], pauseMs = 0): void => {
    const request = { host, pin, pauseMs, numOutput: chance.between(0, 3), state: chance.pick<0 | 1>(0, 1) };
    steps.push({ atMs, do: 'visit', product, visit: request });
    atMs += APART_MS;
  };
  const [friend, stranger] = ['192.0.2.10', '192.0.2.66'] as const;
  technician('new-pin');
  technician('web-on');
  if (chance.fraction() < 0.5) visit(friend, 'right');
  for (let left = chance.pick(0, 1, 4, 5, 6); left > 0; left -= 1) visit(stranger, 'wrong');
  visit(stranger, 'right');
  visit(friend, 'right');
  if (chance.fraction() < 0.5) {
    visit(friend, 'right', OPEN_MS + 300);
    technician('new-pin');
    visit(friend, 'old');
    visit(stranger, 'right');
  }
  if (chance.fraction() < 0.4) {
    const fault = drawCrash(chance, machineOf(product));
    steps.push({ atMs: chance.between(beganMs, atMs), do: 'fault', fault });
    atMs += 3_000;
    technician('web-on');
    visit(friend, 'right');
  }
  return steps;
}
