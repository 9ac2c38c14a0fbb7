import type { InputReading } from '@relaygate/device-agent/relay/relay-driver';
import { completeOutput, type Level, type OutputSettings } from '@relaygate/shared/device';
import type { SeededChance } from '../../support/chance/seeded-chance';
import type { Scheduler } from '../scheduler';
import type { InputChange } from '../witnesses/board-records';
import { Layers } from './layers';

/** One in so many contacts is sluggish. */
const SLUGGISH = 0.08;
const LAG_MS = { usual: 15, sluggish: 900 };

type InputMode = 'works' | 'stuck' | 'unreadable';

/** What one input does: it shows its relay a little later, unless it sticks or cannot be read. */
interface Input {
  /** Of the relay that it is wired to. */
  line: number;
  activeLevel: Level;
  showsActive: boolean;
  faults: Layers<InputMode>;
}

/** The feedback inputs of one board. */
export class Inputs {
  readonly #machine: string;
  readonly #scheduler: Scheduler;
  readonly #chance: SeededChance;
  readonly #log: (change: InputChange) => void;
  readonly #inputs = new Map<number, Input>();
  readonly #relayIsActive: (line: number) => boolean;

  constructor(
    machine: string,
    parts: {
      scheduler: Scheduler;
      chance: SeededChance;
      outputs: readonly OutputSettings[];
      relayIsActive: (line: number) => boolean;
      log: (change: InputChange) => void;
    },
  ) {
    this.#machine = machine;
    this.#scheduler = parts.scheduler;
    this.#chance = parts.chance;
    this.#relayIsActive = parts.relayIsActive;
    this.#log = parts.log;
    for (const [line, settings] of parts.outputs.entries()) {
      const { feedbackInput, feedbackActiveLevel: activeLevel } = completeOutput(settings);
      if (feedbackInput === null) continue;
      const faults = new Layers<InputMode>('works', () => this.#changed(feedbackInput, input));
      const input: Input = { line, activeLevel, showsActive: false, faults };
      this.#inputs.set(feedbackInput, input);
    }
  }

  read(number: number): InputReading {
    const input = this.#inputs.get(number);
    if (!input || input.faults.top === 'unreadable') return { kind: 'failed', problem: 'no such input' };
    const { activeLevel, showsActive } = input;
    return { kind: 'read', level: showsActive ? activeLevel : activeLevel === 'high' ? 'low' : 'high' };
  }

  relayMoved(line: number): void {
    for (const [number, input] of this.#inputs) {
      if (input.line !== line) continue;
      const lagMs = this.#chance.fraction() * (this.#chance.fraction() < SLUGGISH ? LAG_MS.sluggish : LAG_MS.usual);
      this.#scheduler.in(lagMs, () => this.#show(number, input));
    }
  }

  /** The input of this relay, if it has one, shows what it shows now, or nothing. The result ends that. */
  begin(line: number, mode: InputMode): () => void {
    const input = [...this.#inputs.values()].find((one) => one.line === line);
    return input?.faults.begin(mode) ?? (() => {});
  }

  #changed(number: number, input: Input): void {
    this.#note(number, input);
    this.#show(number, input);
  }

  #show(number: number, input: Input): void {
    const isActive = this.#relayIsActive(input.line);
    if (input.faults.top === 'stuck' || input.showsActive === isActive) return;
    input.showsActive = isActive;
    this.#note(number, input);
  }

  #note(number: number, { showsActive, faults }: Input): void {
    const atMs = this.#scheduler.nowMs;
    this.#log({ machine: this.#machine, input: number, shows: faults.top === 'unreadable' ? null : showsActive, atMs });
  }
}
