import type { Level } from '@relaygate/shared/device';
import { causeText } from '../locales/en/causes';
import type { RelayDriver } from '../relay/relay-driver';
import type { Cause } from '../runtime/cause';
import type { Log } from '../runtime/log';
import type { Inputs } from './inputs/inputs';
import type { Listeners } from './listeners';
import type { OutputsStart } from './outputs-start';
import type { RunningOutput } from './running-output';

export interface BoardWatchDeps {
  driver: Pick<RelayDriver, 'open'>;
  log: Log;
  listeners: Listeners;
  outputs: readonly RunningOutput[];
  starts: OutputsStart;
  /** null: none means anything. */
  inputs: Inputs | null;
}

/** Notices whether the board is there. What its outputs missed while it was away is done when it is back. */
export class BoardWatch {
  readonly #deps: BoardWatchDeps;
  #problem: Cause | null = null;
  #isEnding = false;

  constructor(deps: BoardWatchDeps) {
    this.#deps = deps;
  }

  /** Why the board is away; null: it is there. */
  get problem(): Cause | null {
    return this.#problem;
  }

  /** Rejects when the board can never work. */
  open(): Promise<void> {
    const { driver, inputs } = this.#deps;
    return driver.open({
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
    if (!this.#isEnding && this.#problem === null) this.#deps.starts.putBack();
  }

  #lost(problem: Cause): void {
    this.#deps.log.warn(`the relay board is away: ${causeText(problem)}`);
    this.#problem = problem;
    for (const output of this.#deps.outputs) output.boardLost();
    this.#deps.listeners.notify();
  }

  /** I5: as after a restart in the same boot; what was commanded meanwhile was refused. */
  #back(levels: readonly (Level | null)[]): void {
    if (this.#problem === null) return;
    this.#problem = null;
    const found = this.#deps.outputs.map(({ numOutput, settings }) => {
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
    for (const output of this.#deps.outputs) {
      const level = levels[output.numOutput];
      if (level !== undefined) output.readAs(level);
    }
  }
}
