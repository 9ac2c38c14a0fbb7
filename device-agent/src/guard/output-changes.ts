import { completeOutput } from '@relaygate/shared/complete-output';
import type { OutputSettings } from '@relaygate/shared/output-settings';
import { Mutex } from 'async-mutex';
import { refusedByGuard } from '../runtime/guard-refused';
import { isRestored, type RememberedState } from './power-on';
import type { OutputChange } from './requests';
import type { RunningOutput } from './running-output';
import type { StateFile } from './state-file';

/** Changes of settings, one after the other: each is applied to all the outputs that it names or to none. */
export class OutputChanges {
  readonly #outputs: readonly RunningOutput[];
  readonly #stateFile: StateFile;
  readonly #mutex = new Mutex();
  #clicksUntilMs = 0;

  constructor(outputs: readonly RunningOutput[], stateFile: StateFile) {
    this.#outputs = outputs;
    this.#stateFile = stateFile;
  }

  /** Until when an output clicks for somebody who watches, on the guard's clock. */
  get clicksUntilMs(): number {
    return this.#clicksUntilMs;
  }

  /**
   * Changes of mode, polarity and interlock are refused while the output is active or has commands. If forced, the output
   * is driven inactive first. `refuseLate` throws once nobody waits any more; it is asked before anything moves (I2).
   */
  apply(changes: readonly OutputChange[], force: boolean, refuseLate: () => void = () => {}): Promise<void> {
    return this.#mutex.runExclusive(() => this.#applyNow(changes, force, refuseLate));
  }

  /** Only outputs that are to be restored stand in the state file. */
  async remember({ numOutput, settings, isToBeOn }: RunningOutput): Promise<void> {
    // A failing write is a fault already, and is tried again.
    await this.#stateFile.saveOutput(numOutput, isRestored(settings) ? isToBeOn : null).catch(() => {});
  }

  /** Forgets the state of outputs that do not exist any more. */
  async forgetOthers(remembered: RememberedState | null): Promise<void> {
    const gone = [...(remembered?.active.keys() ?? [])].filter((numOutput) => !this.#outputs[numOutput]);
    await Promise.all(gone.map((numOutput) => this.#stateFile.saveOutput(numOutput, null).catch(() => {})));
  }

  async #applyNow(changes: readonly OutputChange[], force: boolean, refuseLate: () => void): Promise<void> {
    refuseLate();
    const changed = changes.map(({ numOutput, settings }) => ({ output: this.#outputOf(numOutput), settings }));
    // The other states are saved with their edges: if the guard's end is driving such an output off, it is to come back.
    const changedPolicy = changed.filter(
      ({ output, settings }) => isRestored(output.settings) !== isRestored(settings),
    );
    const moving = changed.filter(({ output, settings }) => touchesTheRelay(output.settings, settings));
    const busy = moving.find(({ output }) => !output.isIdle);
    if (busy && !force) {
      const { numOutput } = busy.output;
      throw refusedByGuard('output-active', 'output-busy', { numOutput });
    }
    // From the check to here nothing was awaited, so no command has begun in between.
    const held = Promise.all(moving.map(({ output }) => output.hold()));
    try {
      await held;
      refuseLate();
      // If one stays on, the others must be through too before a command may move them.
      const putOffs = await Promise.allSettled(moving.map(({ output }) => this.#putOff(output)));
      for (const putOff of putOffs) if (putOff.status === 'rejected') throw putOff.reason;
      await Promise.all(changed.map(({ output, settings }) => output.configure(settings)));
      this.#clicksUntilMs = Math.max(0, ...changes.map(({ clicksUntilMs = 0 }) => clicksUntilMs));
    } finally {
      for (const { output } of moving) output.commands.letGo();
    }
    await Promise.all(changedPolicy.map(({ output }) => this.remember(output)));
  }

  async #putOff(output: RunningOutput): Promise<void> {
    if (output.state === 0) return;
    const { numOutput, settings } = output;
    try {
      if (isRestored(settings)) await this.#stateFile.saveOutput(numOutput, false);
    } catch (error) {
      void this.remember(output);
      throw refusedByGuard('refused', 'state-unsaved', { numOutput }, { cause: error });
    }
    if (!(await output.release())) throw refusedByGuard('refused', 'output-stays-on', { numOutput });
  }

  #outputOf(numOutput: number): RunningOutput {
    const output = this.#outputs[numOutput];
    if (output) return output;
    throw refusedByGuard('output-not-found', 'no-such-output', { numOutput, count: this.#outputs.length });
  }
}

function touchesTheRelay(before: OutputSettings, after: OutputSettings): boolean {
  return (
    before.mode !== after.mode ||
    before.activeLevel !== after.activeLevel ||
    completeOutput(before).interlock !== completeOutput(after).interlock
  );
}
