/** What brings a policy into play: commands and faults that meet oftener than chance alone would have them. */
import { type CompleteOutput, completeOutput } from '@relaygate/shared/device';
import type { SeededChance } from '../../../support/chance/seeded-chance';
import type { LocalRequest } from '../../people/local-request';
import { type Fault, machineOf, type PlannedStep, type Scope } from '../plan';

/** Ends before the plan does, or shortly after. */
const SCENE_MS = 6_000;
/** Shorter ones are seldom seen in time; their scenes would only be fewer of the others. */
const LONG_PULSE_MS = 1_000;

export function drawScenes(chance: SeededChance, { products, untilMs }: Scope): PlannedStep[] {
  return products.flatMap(({ outputs }, product) => {
    const steps: PlannedStep[] = [];
    const all = outputs.map(completeOutput);
    const [first, ...others] = all.flatMap((output, numOutput) =>
      SCENES.filter(({ isFor }) => isFor(output)).map(({ play }) => ({ play, output, numOutput })),
    );
    for (let left = first ? chance.pick(1, 2, 3) : 0; first && left > 0; left -= 1) {
      const { play, ...place } = chance.pick(first, ...others);
      const atMs = chance.between(1_500, Math.max(1_500, untilMs - SCENE_MS));
      play(new Scene(chance, steps, { ...place, product, atMs }), all);
    }
    return steps;
  });
}

/** Writes the steps of one output's scene; times are milliseconds from its begin. */
class Scene {
  readonly chance: SeededChance;
  readonly output: CompleteOutput;
  readonly numOutput: number;
  readonly machine: string;
  readonly #steps: PlannedStep[];
  readonly #product: number;
  readonly #atMs: number;

  constructor(
    chance: SeededChance,
    steps: PlannedStep[],
    place: { product: number; numOutput: number; output: CompleteOutput; atMs: number },
  ) {
    this.chance = chance;
    this.#steps = steps;
    this.output = place.output;
    this.numOutput = place.numOutput;
    this.#product = place.product;
    this.#atMs = place.atMs;
    this.machine = machineOf(place.product);
  }

  /** By the application, or by a technician, whose commands wait for nobody's. */
  set(atMs: number, state: 0 | 1, numOutput = this.numOutput): void {
    if (this.chance.fraction() < 0.4) return this.locally(atMs, { type: 'set', numOutput, state });
    const call = { kind: 'set', product: this.#product, numOutput, state } as const;
    this.#steps.push({ atMs: this.#atMs + atMs, do: 'call', client: 0, call });
  }

  locally(atMs: number, request: LocalRequest): void {
    this.#steps.push({ atMs: this.#atMs + atMs, do: 'technician', product: this.#product, request });
  }

  fault(atMs: number, fault: Fault): void {
    this.#steps.push({ atMs: this.#atMs + atMs, do: 'fault', fault });
  }

  /** One time in three. */
  perhaps(happen: () => void): void {
    if (this.chance.fraction() < 0.33) happen();
  }

  killGuard(atMs: number): void {
    this.fault(atMs, { kind: 'kill', process: `guard ${this.machine}`, restartMs: this.chance.between(20, 600) });
  }

  slowJournal(atMs: number): void {
    this.fault(atMs, { kind: 'disk', machine: this.machine, mode: 'journal-slow', forMs: 3_000 });
  }

  /** From 0 to `mostMs`. */
  upTo(mostMs: number): number {
    return this.chance.between(0, Math.max(0, Math.round(mostMs)));
  }
}

interface SceneKind {
  isFor(output: CompleteOutput): boolean;
  play(scene: Scene, outputs: readonly CompleteOutput[]): void;
}

const SCENES: readonly SceneKind[] = [
  {
    isFor: ({ interlock }) => interlock !== null,
    play(scene, outputs) {
      const { machine, numOutput } = scene;
      const members = outputs.flatMap(({ interlock }, n) => (interlock !== null && n !== numOutput ? [n] : []));
      const [other = 0, rival = other] = members;
      scene.set(0, 1, other);
      scene.perhaps(() =>
        scene.fault(200, { kind: 'stuck-relay', machine, output: other, forMs: scene.chance.between(300, 2_500) }),
      );
      scene.perhaps(() => scene.slowJournal(300));
      scene.set(scene.chance.between(300, 1_200), 1);
      scene.locally(scene.chance.between(300, 2_000), { type: 'set', numOutput: other, state: 1 });
      // Two at once want what a third has, while the board takes its time.
      const rivalMs = scene.chance.between(2_500, 3_500);
      if (scene.chance.fraction() < 0.7)
        scene.fault(rivalMs - 50, { kind: 'board', machine, mode: 'slow', forMs: 3_000 });
      const wantBoth = (atMs: number): void => {
        scene.locally(atMs, { type: 'set', numOutput: rival, state: 1 });
        scene.locally(atMs + scene.upTo(3), { type: 'set', numOutput, state: 1 });
      };
      wantBoth(rivalMs);
      // And once more, with the third in its place again.
      scene.locally(rivalMs + 1_000, { type: 'set', numOutput: other, state: 1 });
      wantBoth(rivalMs + 1_800);
      scene.perhaps(() => scene.killGuard(scene.chance.between(300, 4_500)));
      scene.perhaps(() => scene.fault(5_000, { kind: 'power-cut', machine, offMs: scene.chance.between(100, 1_000) }));
    },
  },
  {
    isFor: ({ maxOnMs }) => maxOnMs > 0,
    play(scene) {
      const { maxOnMs } = scene.output;
      scene.set(0, 0);
      scene.set(800, 1);
      scene.perhaps(() => scene.set(800 + scene.upTo(maxOnMs), 1));
      if (scene.chance.fraction() < 0.6) scene.killGuard(800 + scene.upTo(maxOnMs));
      if (maxOnMs < 400 || scene.chance.fraction() < 0.5) return;
      // An off that is still on its way when the time is up.
      scene.slowJournal(1_000);
      scene.locally(800 + maxOnMs - 30 - scene.upTo(300), { type: 'set', numOutput: scene.numOutput, state: 0 });
    },
  },
  {
    isFor: ({ minSwitchIntervalMs }) => minSwitchIntervalMs > 0,
    play(scene) {
      const { minSwitchIntervalMs } = scene.output;
      scene.set(0, 1);
      const againMs = 300 + scene.upTo(minSwitchIntervalMs);
      scene.perhaps(() => scene.set(againMs, 0));
      scene.perhaps(() => scene.killGuard(againMs));
      scene.set(againMs + 200 + scene.upTo(minSwitchIntervalMs), 1);
      scene.set(againMs + 900 + scene.upTo(minSwitchIntervalMs), 1);
    },
  },
  {
    isFor: ({ retrigger }) => retrigger === 'extend',
    play(scene) {
      const { pulseMs } = scene.output;
      scene.set(0, 1);
      scene.set(scene.upTo(pulseMs), 1);
      scene.perhaps(() => scene.set(pulseMs + scene.upTo(pulseMs), 1));
      if (scene.chance.fraction() < 0.3) return;
      scene.slowJournal(Math.min(pulseMs, 100));
      scene.locally(pulseMs - scene.upTo(Math.min(pulseMs, 800)), { type: 'pulse', numOutput: scene.numOutput });
    },
  },
  {
    // The pulse that was seen may have ended, and another one begun, before its stop comes.
    isFor: ({ mode, pulseMs }) => mode === 'impulse' && pulseMs > LONG_PULSE_MS,
    play(scene) {
      const { numOutput } = scene;
      const { pulseMs } = scene.output;
      scene.set(0, 1);
      const seenMs = scene.upTo(Math.min(pulseMs, 2_000));
      const afterMs = scene.chance.pick(0, scene.upTo(1_000), 3_000);
      scene.locally(seenMs, { type: 'stop', numOutput, afterMs });
      scene.perhaps(() => scene.slowJournal(seenMs));
      scene.perhaps(() => scene.set(seenMs + scene.upTo(100), 1));
      if (scene.chance.fraction() < 0.7) scene.set(Math.min(pulseMs, seenMs + afterMs) + scene.upTo(500), 1);
      scene.perhaps(() => scene.killGuard(seenMs + scene.upTo(1_000)));
    },
  },
  {
    isFor: ({ onLinkLoss }) => onLinkLoss === 'off',
    play(scene) {
      const { machine } = scene;
      scene.set(0, 1);
      const forMs = scene.output.linkLossMs + scene.chance.between(-2_000, 7_000);
      scene.fault(500, { kind: 'partition', machine, direction: 'both', forMs });
      if (scene.chance.fraction() < 0.7)
        scene.fault(600, { kind: 'cut', machine, knows: 'both', lateMs: 0, repeats: false });
      scene.perhaps(() =>
        scene.locally(1_000 + scene.upTo(3_000), { type: 'set', numOutput: scene.numOutput, state: 1 }),
      );
    },
  },
  {
    isFor: ({ onAgentLoss }) => onAgentLoss === 'off',
    play(scene) {
      const process = `agent ${scene.machine}`;
      scene.set(0, 1);
      const forMs = scene.output.agentLossMs + scene.chance.between(-1_500, 6_000);
      const isKilled = scene.chance.fraction() < 0.4;
      scene.fault(
        500,
        isKilled
          ? { kind: 'kill', process, restartMs: forMs }
          : { kind: 'stall', process, forMs, timersFirst: scene.chance.pick(true, false) },
      );
    },
  },
  {
    isFor: ({ feedbackInput }) => feedbackInput !== null,
    play(scene) {
      const { machine, numOutput: output } = scene;
      const { feedbackMs } = scene.output;
      const mode = scene.chance.pick('stuck', 'stuck', 'unreadable');
      scene.set(0, 0);
      scene.perhaps(() => scene.set(300, 1));
      scene.fault(900, { kind: 'input', machine, output, mode, forMs: scene.chance.between(500, 4_000) });
      scene.set(1_000, 1);
      scene.locally(1_000 + scene.upTo(feedbackMs * 1.5), { type: 'set', numOutput: output, state: 0 });
      scene.set(1_200 + feedbackMs + scene.upTo(500), 1);
    },
  },
];
