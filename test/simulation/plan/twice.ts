/** What two technicians ask for at nearly the same time: a factory reset, and a PIN. */
import type { SeededChance } from '../../support/chance/seeded-chance';
import type { LocalRequest } from '../people/local-request';
import { machineOf, type PlannedStep } from './plan';

/** From the answer to a factory reset on its agent lives on for so long. */
const ENDING_MS = 200;
/** Most of them are through by then. */
const RESET_MS = 900;

/** For so long the page is on. */
const PAGE_MS = 600_000;
/** Until an agent that was killed is there again, and until its page is. */
const REACHED_MS = 500;
const OPEN_MS = 400;

type Asked = PlannedStep & { do: 'technician' };

/** Beside some of the factory resets another one: while the first wipes, or while its agent is about to end. */
export function drawSecondResets(chance: SeededChance, steps: readonly PlannedStep[]): PlannedStep[] {
  return askedOf(steps, 'factory-reset').flatMap(({ atMs, product, request }): PlannedStep[] => {
    const isOwn = request.type === 'factory-reset' && request.productLogin === machineOf(product);
    if (!isOwn || chance.fraction() < 0.4) return [];
    const times = Array.from({ length: chance.between(1, 3) }, () =>
      chance.pick(chance.between(0, ENDING_MS), chance.between(ENDING_MS, RESET_MS)),
    );
    return times.map((ms) => ({ atMs: atMs + ms, do: 'technician', product, request }));
  });
}

/**
 * Beside some of the new PINs another one within milliseconds, and somebody who opens the page of another agent by the one that
 * was told last.
 */
export function drawSecondPins(chance: SeededChance, steps: readonly PlannedStep[]): PlannedStep[] {
  return askedOf(steps, 'new-pin').flatMap(({ atMs, product, request }): PlannedStep[] => {
    if (chance.fraction() < 0.7) return [];
    const second: PlannedStep = { atMs: atMs + chance.between(0, 8), do: 'technician', product, request };
    return chance.fraction() < 0.5 ? [second] : [second, ...drawReopened(chance, atMs, product)];
  });
}

function drawReopened(chance: SeededChance, atMs: number, product: number): PlannedStep[] {
  const restartMs = chance.between(20, 300);
  const killedMs = atMs + chance.between(100, 300);
  const openedMs = killedMs + restartMs + REACHED_MS;
  const visit = { host: '192.0.2.30', pin: 'right', pauseMs: 0, numOutput: chance.between(0, 3), state: 1 } as const;
  return [
    { atMs: killedMs, do: 'fault', fault: { kind: 'kill', process: `agent ${machineOf(product)}`, restartMs } },
    { atMs: openedMs, do: 'technician', product, request: { type: 'web-on', forMs: PAGE_MS, hotspot: false } },
    { atMs: openedMs + OPEN_MS, do: 'visit', product, visit },
  ];
}

function askedOf(steps: readonly PlannedStep[], type: LocalRequest['type']): Asked[] {
  return steps.filter((step): step is Asked => step.do === 'technician' && step.request.type === type);
}
