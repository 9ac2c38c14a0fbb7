import type { OutputState } from '@relaygate/shared';
import { completeOutput } from '@relaygate/shared/complete-output';
import type { CompleteOutput, OutputSettings } from '@relaygate/shared/device';
import { step } from './output';
import { stateOf } from './output-phase';
import type { Output, OutputEffect, OutputEvent } from './output-types';

/** One step of the machine: the output before and after it, and what must be done. */
export interface OutputStep {
  event: OutputEvent;
  before: Output;
  after: Output;
  effects: readonly OutputEffect[];
}

/** Holds an output's state and the settings that it goes by. Whoever notices an event feeds it. */
export class OutputMachine {
  readonly numOutput: number;
  readonly #follow: (step: OutputStep) => void;
  #settings: OutputSettings;
  #rules: CompleteOutput;
  #output: Output = { phase: 'unknown' };

  /** `follow` may feed it again before it returns. */
  constructor(numOutput: number, settings: OutputSettings, follow: (step: OutputStep) => void) {
    this.numOutput = numOutput;
    this.#settings = settings;
    this.#rules = completeOutput(settings);
    this.#follow = follow;
  }

  get settings(): OutputSettings {
    return this.#settings;
  }

  get rules(): CompleteOutput {
    return this.#rules;
  }

  get output(): Output {
    return this.#output;
  }

  get state(): OutputState | null {
    return stateOf(this.#output);
  }

  configure(settings: OutputSettings): void {
    this.#settings = settings;
    this.#rules = completeOutput(settings);
  }

  feed(event: OutputEvent): void {
    const before = this.#output;
    const [after, effects] = step(before, event, this.#rules);
    this.#output = after;
    this.#follow({ event, before, after, effects });
  }
}
