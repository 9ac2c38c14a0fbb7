import type { ButtonSettings, InputSettings, OutputSettings } from '@relaygate/shared/device';
import type { SeededChance } from '../../support/chance/seeded-chance';
import { drawAway } from './boards';
import { machineOf, type PlannedProduct, type PlannedStep, type Scope } from './plan';

/** Of a hundred seeds. */
const SEEDS_PERCENT = 15;
/** From a scene's begin until its contacts are as before. */
const SCENE_MS = 4_000;
const STUCK_MS = 1_000;
const FIRST_MS = 2_500;
const LOCK_MS = 60_000;

type Moves = Extract<PlannedStep, { do: 'input' }>['moves'];

/** The same products, in some seeds with inputs that mean something. Its buttons switch outputs that nobody sets up otherwise. */
export function withInputs(
  chance: SeededChance,
  products: readonly PlannedProduct[],
  steps: readonly PlannedStep[],
): PlannedProduct[] {
  if (chance.fraction() * 100 >= SEEDS_PERCENT) return [...products];
  return products.map((product, n) => {
    const { requireProof, isReset, outputs } = product;
    if (requireProof || isReset || steps.some((step) => step.do === 'prove' && step.product === n)) return product;
    const free = [...outputs.entries()].filter(([numOutput]) => !steps.some((step) => setsUp(step, n, numOutput)));
    const always = (numInput: number, name: string) => {
      const activeLevel = chance.pick<'high' | 'low'>('high', 'low', 'low');
      return { numInput, name, activeLevel, debounceMs: chance.pick(30, 30, chance.between(5, 200)) };
    };
    const contact = { kind: 'contact' as const, ...always(0, 'Gate closed') };
    const tamper = { kind: 'tamper' as const, ...always(1, 'Lid') };
    const buttons = free.map(
      ([output, settings]): ButtonSettings => ({
        kind: 'button',
        ...always(2 + output, `Button ${output}`),
        output,
        action: actionFor(chance, settings),
        stuckMs: STUCK_MS,
        ...(chance.fraction() < 0.25 ? { obeysLocks: false } : {}),
      }),
    );
    return { ...product, inputs: [contact, tamper, ...buttons] };
  });
}

/** What people, bounces and the wind do at inputs, near what breaks. */
export function drawInputs(chance: SeededChance, { products, untilMs }: Scope): PlannedStep[] {
  return products.flatMap(({ inputs = [] }, product) => {
    if (inputs.length === 0 || untilMs < FIRST_MS + SCENE_MS) return [];
    return Array.from({ length: chance.between(2, 6) }, () => {
      const atMs = chance.between(FIRST_MS, untilMs - SCENE_MS);
      return new Scene(chance, { product, inputs, atMs }).draw();
    }).flat();
  });
}

class Scene {
  readonly #chance: SeededChance;
  readonly #product: number;
  readonly #atMs: number;
  readonly #contacts: readonly InputSettings[];
  readonly #buttons: readonly ButtonSettings[];

  constructor(
    chance: SeededChance,
    { product, inputs, atMs }: { product: number; inputs: readonly InputSettings[]; atMs: number },
  ) {
    this.#chance = chance;
    this.#product = product;
    this.#atMs = atMs;
    this.#contacts = inputs.filter(({ kind }) => kind !== 'button');
    this.#buttons = inputs.filter((input) => input.kind === 'button');
  }

  draw(): PlannedStep[] {
    const chance = this.#chance;
    const guard = `guard ${machineOf(this.#product)}`;
    const pressAtMs = chance.between(100, 400);
    switch (chance.between(0, 9)) {
      case 0:
        return this.#press(0, chance.pick(10, 60, 300, 800));
      case 1:
        return [...this.#press(0, 120), ...this.#press(chance.between(130, 500), 120)];
      case 2:
      case 8:
        return this.#stall();
      case 3: {
        const fault = { kind: 'kill', process: guard, restartMs: chance.between(20, 600) } as const;
        return [...this.#press(0, chance.between(100, 3_000)), this.#fault(pressAtMs, fault)];
      }
      case 4: {
        const away = drawAway(chance, machineOf(this.#product), chance.between(20, 1_000));
        return [...this.#press(0, chance.between(100, 3_000)), this.#fault(pressAtMs, away)];
      }
      case 5:
        return this.#linkLoss();
      case 6: {
        const flaps = { kind: 'flap', forMs: chance.between(1_200, 2_500) } as const;
        const input = this.#oneOf([...this.#contacts, ...this.#buttons]);
        return [...(input ? [this.#input(0, input, flaps)] : []), ...this.#press(chance.between(1_100, 2_500), 150)];
      }
      case 7: {
        const [button] = this.#buttons;
        if (!button) return [];
        return [...this.#press(0, STUCK_MS + chance.between(200, 1_500), button), ...this.#press(3_200, 150, button)];
      }
      default:
        return this.#locked();
    }
  }

  /** A press while the guard hangs, let go or not when it goes on. */
  #stall(): PlannedStep[] {
    const chance = this.#chance;
    const process = `guard ${machineOf(this.#product)}`;
    const forMs = chance.pick(chance.between(20, 1_400), chance.between(500, 950));
    const stall = { kind: 'stall', process, forMs, timersFirst: chance.pick(true, false) } as const;
    return [this.#fault(100, stall), ...this.#press(chance.between(101, 300), chance.pick(80, 800, 1_500))];
  }

  #linkLoss(): PlannedStep[] {
    const chance = this.#chance;
    const knows = chance.pick('both', 'device', 'server', 'nobody');
    const cut = { kind: 'cut', machine: machineOf(this.#product), knows, lateMs: 0, repeats: false } as const;
    const contact = this.#oneOf(this.#contacts);
    if (!contact) return [];
    const look = (afterMs: number): PlannedStep => {
      const call = { kind: 'state', product: this.#product, numOutput: 0 } as const;
      return { atMs: this.#atMs + afterMs, do: 'call', client: 0, call };
    };
    return [
      this.#input(chance.between(0, 400), contact, {
        kind: 'times',
        isActive: chance.pick(true, false),
        timesMs: [0, 1, 3],
      }),
      this.#fault(300, cut),
      look(400),
      look(chance.between(500, 3_500)),
    ];
  }

  #locked(): PlannedStep[] {
    const button = this.#buttons.find(({ output }) => output !== 0);
    if (!button) return [];
    const request = { type: 'lock', numOutput: button.output, forMs: LOCK_MS } as const;
    return [
      { atMs: this.#atMs, do: 'technician', product: this.#product, request },
      ...this.#press(this.#chance.between(200, 1_500), 200, button),
    ];
  }

  /** It bounces at both ends. */
  #press(afterMs: number, forMs: number, button = this.#oneOf(this.#buttons)): PlannedStep[] {
    if (!button) return [];
    const bounceMs = 1 + this.#chance.fraction() * 3;
    const timesMs = this.#chance.pick([0, forMs], [0, bounceMs, 2 * bounceMs, forMs, forMs + 1, forMs + 2]);
    return [this.#input(afterMs, button, { kind: 'times', isActive: true, timesMs })];
  }

  #oneOf<Input>(inputs: readonly Input[]): Input | undefined {
    return inputs[this.#chance.between(0, inputs.length - 1)];
  }

  #input(afterMs: number, { numInput }: InputSettings, moves: Moves): PlannedStep {
    return { atMs: this.#atMs + afterMs, do: 'input', product: this.#product, numInput, moves };
  }

  #fault(afterMs: number, fault: Extract<PlannedStep, { do: 'fault' }>['fault']): PlannedStep {
    return { atMs: this.#atMs + afterMs, do: 'fault', fault };
  }
}

function setsUp(step: PlannedStep, product: number, numOutput: number): boolean {
  if (step.do !== 'technician' || step.product !== product) return false;
  const { request } = step;
  return (request.type === 'output' || request.type === 'click') && request.numOutput === numOutput;
}

function actionFor(chance: SeededChance, { mode, maxOnMs, powerOn }: OutputSettings): ButtonSettings['action'] {
  if (mode === 'impulse') return 'pulse';
  return maxOnMs && powerOn === 'off' ? chance.pick('hold', 'hold', 'toggle') : 'toggle';
}
