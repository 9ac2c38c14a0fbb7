import type { ButtonSettings } from '@relaygate/shared/device';
import type { SeededChance } from '../../support/chance/seeded-chance';
import { type Fault, machineOf, type PlannedProduct, type PlannedStep, type Scope } from './plan';

/** Of a hundred products with buttons. */
const CROWDED_PERCENT = 25;
/** More than the feedback inputs have. */
const FIRST_INPUT = 20;
/** None flaps, and together they are more commands than a guard remembers. */
const CROWD = { buttons: 40, presses: 9, everyMs: 400, heldMs: 130 };
const CROWD_MS = CROWD.presses * CROWD.everyMs;
const FIRST_MS = 2_500;
/** From a scene's begin until agent and guard are back. */
const SCENE_MS = 4_000;

/** The same products, some of them with more buttons than one hand can press. */
export function withCrowds(chance: SeededChance, products: readonly PlannedProduct[]): PlannedProduct[] {
  return products.map((product) => {
    const plain = buttonsOf(product).filter(({ action }) => action !== 'hold');
    if (plain.length === 0 || chance.fraction() * 100 >= CROWDED_PERCENT) return product;
    const all = Array.from({ length: CROWD.buttons }, () => plain).flat();
    const more = all.slice(0, CROWD.buttons).map(({ output, action }, n): ButtonSettings => {
      const numInput = FIRST_INPUT + n;
      return { kind: 'button', numInput, name: `Button ${numInput}`, output, action, activeLevel: 'low' };
    });
    return { ...product, inputs: [...(product.inputs ?? []), ...more] };
  });
}

/** Presses while nobody enters them: the agent is away or hangs, or dies as it does so, the guard dies or hangs, the power goes, the disk refuses. */
export function drawPresses(chance: SeededChance, { products, untilMs }: Scope): PlannedStep[] {
  return products.flatMap((product, n) => {
    if (buttonsOf(product).length === 0 || untilMs < FIRST_MS + SCENE_MS) return [];
    const scenes = Array.from({ length: chance.between(2, 4) }, () => {
      const atMs = chance.between(FIRST_MS, untilMs - SCENE_MS);
      return new Scene(chance, { product: n, buttons: buttonsOf(product), atMs }).draw();
    }).flat();
    const crowd = buttonsOf(product).filter(({ numInput }) => numInput >= FIRST_INPUT);
    const lastMs = untilMs - CROWD_MS - SCENE_MS / 2;
    if (crowd.length === 0 || lastMs < FIRST_MS) return scenes;
    const atMs = chance.between(FIRST_MS, lastMs);
    return [...scenes, ...new Scene(chance, { product: n, buttons: crowd, atMs }).drawCrowd()];
  });
}

class Scene {
  readonly #chance: SeededChance;
  readonly #product: number;
  readonly #buttons: readonly ButtonSettings[];
  readonly #atMs: number;

  constructor(
    chance: SeededChance,
    { product, buttons, atMs }: { product: number; buttons: readonly ButtonSettings[]; atMs: number },
  ) {
    this.#chance = chance;
    this.#product = product;
    this.#buttons = buttons;
    this.#atMs = atMs;
  }

  draw(): PlannedStep[] {
    const chance = this.#chance;
    const process = chance.pick<Process>('agent', 'agent', 'guard');
    const soonMs = chance.between(20, 600);
    const awayMs = chance.between(500, 3_000);
    switch (chance.between(0, 8)) {
      case 0:
        return [this.#kill(0, 'agent', awayMs), ...this.#some(awayMs)];
      case 1:
        // Dead before it has caught up, or not.
        return [
          this.#fault(0, this.#stall('agent', awayMs)),
          ...this.#some(awayMs),
          ...(chance.fraction() < 0.5 ? [this.#kill(awayMs - chance.between(-60, 60), 'agent', soonMs)] : []),
        ];
      case 2:
        return [...this.#press(0), this.#killAtPoint(this.#drawHeldMs(), process, soonMs)];
      case 3:
        // Back, and gone again while it asks the guard.
        return [
          this.#kill(0, 'agent', awayMs),
          ...this.#some(awayMs),
          this.#killAtPoint(awayMs + chance.between(5, 200), process, soonMs),
        ];
      case 4:
        return [this.#kill(0, 'agent', awayMs), ...this.#some(awayMs), this.#kill(awayMs - 200, 'guard', soonMs)];
      case 5: {
        const machine = machineOf(this.#product);
        const offMs = chance.between(100, 600);
        const cut: Fault = chance.pick<Fault>(
          { kind: 'power-cut', machine, offMs },
          { kind: 'power-cut-at-point', process: `agent ${machine}`, points: chance.between(1, 14), offMs },
        );
        return [...this.#press(0), this.#fault(this.#drawHeldMs() + chance.between(0, 300), cut)];
      }
      case 6:
      case 7:
        // Too old when its guard goes on, and still held.
        return [
          this.#fault(0, this.#stall('guard', chance.between(600, 950))),
          ...this.#press(chance.between(1, 80), 1_200),
        ];
      default:
        return [
          this.#fault(0, this.#disk(awayMs)),
          ...this.#some(awayMs),
          ...(chance.fraction() < 0.5 ? [this.#kill(chance.between(0, awayMs), process, soonMs)] : []),
          ...this.#press(awayMs + 100),
        ];
    }
  }

  /** Everybody presses as often as it counts. */
  drawCrowd(): PlannedStep[] {
    const chance = this.#chance;
    const timesMs = Array.from({ length: 2 * CROWD.presses }, (_none, n) =>
      n % 2 === 0 ? (n / 2) * CROWD.everyMs : ((n - 1) / 2) * CROWD.everyMs + CROWD.heldMs,
    );
    const presses = this.#buttons.map((button, n) => this.#input(100 + 7 * n, button, timesMs));
    const soonMs = chance.between(20, 600);
    const backMs = CROWD_MS + chance.between(-300, 600);
    const killed = chance.pick<PlannedStep[]>(
      [],
      [this.#killAtPoint(backMs + chance.between(0, 400), 'agent', soonMs)],
    );
    const last = this.#press(backMs + 1_000);
    switch (chance.between(0, 3)) {
      case 0:
        return [this.#fault(0, this.#disk(backMs)), ...presses, ...last];
      case 1:
        return [this.#kill(0, 'agent', backMs), ...presses, this.#kill(backMs - 100, 'guard', soonMs), ...last];
      default:
        return [this.#kill(0, 'agent', backMs), ...presses, ...killed, ...last];
    }
  }

  /** A few within that time. */
  #some(withinMs: number): PlannedStep[] {
    const chance = this.#chance;
    return Array.from({ length: chance.between(1, 3) }, () => this.#press(chance.between(0, withinMs))).flat();
  }

  #press(afterMs: number, heldMs = this.#drawHeldMs()): PlannedStep[] {
    const button = this.#buttons[this.#chance.between(0, this.#buttons.length - 1)];
    return button ? [this.#input(afterMs, button, [0, heldMs])] : [];
  }

  #drawHeldMs(): number {
    return this.#chance.pick(60, 120, 300);
  }

  #input(afterMs: number, { numInput }: ButtonSettings, timesMs: readonly number[]): PlannedStep {
    const moves = { kind: 'times', isActive: true, timesMs } as const;
    // Two presses of one moment would have one deadline, by which their edges are known.
    const atMs = this.#atMs + afterMs + this.#chance.fraction();
    return { atMs, do: 'input', product: this.#product, numInput, moves };
  }

  #kill(afterMs: number, process: Process, restartMs: number): PlannedStep {
    return this.#fault(afterMs, { kind: 'kill', process: `${process} ${machineOf(this.#product)}`, restartMs });
  }

  #killAtPoint(afterMs: number, process: Process, restartMs: number): PlannedStep {
    const points = this.#chance.between(1, 14);
    return this.#fault(afterMs, {
      ...{ kind: 'kill-at-point', process: `${process} ${machineOf(this.#product)}` },
      ...{ points, restartMs },
    });
  }

  #stall(process: Process, forMs: number): Fault {
    const timersFirst = this.#chance.pick(true, false);
    return { kind: 'stall', process: `${process} ${machineOf(this.#product)}`, forMs, timersFirst };
  }

  #disk(forMs: number): Fault {
    const mode = this.#chance.pick('fails', 'fails', 'slow', 'journal-slow');
    return { kind: 'disk', machine: machineOf(this.#product), mode, forMs };
  }

  #fault(afterMs: number, fault: Fault): PlannedStep {
    return { atMs: this.#atMs + Math.max(0, afterMs), do: 'fault', fault };
  }
}

type Process = 'agent' | 'guard';

function buttonsOf({ inputs = [] }: PlannedProduct): ButtonSettings[] {
  return inputs.filter((input) => input.kind === 'button');
}
