import type { Level } from '@relaygate/shared/device';
import { causeText } from '../locales/en/causes';
import type { Cause } from '../runtime/cause';
import type { GuardDeps } from './guard-deps';
import type { Inputs } from './inputs/inputs';
import type { OutputsStart } from './outputs-start';
import type { RunningOutput } from './running-output';

/** Notices whether the board is there. What its outputs missed while it was away is done when it is back. */
export class BoardWatch {
  readonly #outputs: readonly RunningOutput[];
  readonly #starts: OutputsStart;
  /** null: none means anything. */
  readonly #inputs: Inputs | null;
  readonly #deps: GuardDeps;
  #problem: Cause | null = null;
  #isEnding = false;

  constructor(outputs: readonly RunningOutput[], starts: OutputsStart, inputs: Inputs | null, deps: GuardDeps) {
    this.#outputs = outputs;
    this.#starts = starts;
    this.#inputs = inputs;
    this.#deps = deps;
  }

  /** Why the board is away; null: it is there. */
  get problem(): Cause | null {
    return this.#problem;
  }

  /** Rejects when the board can never work. */
  open(): Promise<void> {
    const inputs = this.#inputs;
    return this.#deps.driver.open({
      lost: (problem) => {
        this.#lost(problem);
        inputs?.boardLost();
      },
      back: (levels) => {
        this.#back(levels);
        inputs?.boardIsThere();
      },
      readable: (levels) => this.#readable(levels),
      edges: (edges) => inputs?.edges(edges),
      inputsUnread: (numInputs) => inputs?.unread(numInputs),
    });
  }

  /** The guard ends: no policy moves an output any more. */
  end(): void {
    this.#isEnding = true;
  }

  /** Outputs that wait for the board go where their policies want them. */
  putBack(): void {
    if (!this.#isEnding && this.#problem === null) this.#starts.putBack();
  }

  #lost(problem: Cause): void {
    this.#deps.log.warn(`the relay board is away: ${causeText(problem)}`);
    this.#problem = problem;
    for (const output of this.#outputs) output.boardLost();
    this.#deps.listeners.notify();
  }

  /** I5: as after a restart in the same boot; what was commanded meanwhile was refused. */
  #back(levels: readonly (Level | null)[]): void {
    if (this.#problem === null) return;
    this.#problem = null;
    const found = this.#outputs.map(({ numOutput, settings }) => {
      const level = levels[numOutput] ?? null;
      return `${numOutput} ${level === null ? 'unknown' : level === settings.activeLevel ? 'on' : 'off'}`;
    });
    this.#deps.log.info(`the relay board is back, its outputs as found: ${found.join(', ')}`);
    this.putBack();
    this.#deps.listeners.notify();
  }

  /** The board can be read now: until now, states were what was written. */
  #readable(levels: readonly Level[]): void {
    if (this.#isEnding) return;
    this.#deps.log.info('the relay board answers now: its relays are read back');
    for (const output of this.#outputs) {
      const level = levels[output.numOutput];
      if (level !== undefined) output.readAs(level);
    }
  }
}
