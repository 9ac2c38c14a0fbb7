import type { Cancel } from '@relaygate/shared';
import { DRIVE_TIMEOUT_MS, SAVE_PATIENCE_MS } from '@relaygate/shared/device-limits';
import { oppositeLevel } from '../../runtime/opposite-level';
import type { Job } from '../commands/ordered-command';
import type { OutputDeps } from '../output-deps';
import type { OutputMachine } from '../output-machine';
import type { BoardLine } from './board-line';
import { eventOf } from './drive-result';
import { StateSaves } from './state-saves';

/** Carries out what an output's state machine wants: on its board, its disk and its clock. What comes of it is fed back. */
export class OutputEffects {
  readonly #machine: OutputMachine;
  readonly #line: BoardLine;
  readonly #deps: OutputDeps;
  readonly #saves: StateSaves;
  #cancelWait: Cancel = () => {};
  #waitEndsMs = 0;

  constructor(machine: OutputMachine, line: BoardLine, deps: OutputDeps) {
    this.#machine = machine;
    this.#line = line;
    this.#deps = deps;
    this.#saves = new StateSaves(
      deps.clock,
      (active) => deps.saveState(machine.numOutput, active),
      (kind) => machine.feed({ kind }),
    );
  }

  /** When the newest wait ends, on the guard's clock. */
  get waitEndsMs(): number {
    return this.#waitEndsMs;
  }

  /** The one wait of an output: for its pulse's end, or for the next try to switch it off. Replaces the wait before. */
  wait(delayMs: number, sinceMs = this.#deps.clock.nowMs()): void {
    const { clock } = this.#deps;
    this.#cancelWait();
    this.#waitEndsMs = sinceMs + delayMs;
    this.#cancelWait = clock.after(Math.max(0, this.#waitEndsMs - clock.nowMs()), () =>
      this.#machine.feed({ kind: 'due' }),
    );
  }

  stopWaiting(): void {
    this.#cancelWait();
  }

  /** `job`: the command that has begun; null: none has. */
  save(active: boolean, job: Job | null): void {
    const { clock, recordStart } = this.#deps;
    if (!job || this.#machine.output.phase !== 'saving-off') return this.#saves.save(active, () => SAVE_PATIENCE_MS);
    const leftMs = (): number => Math.max(0, job.startBeforeMs - clock.nowMs());
    // If the disk hangs, the command still has enough time to switch off.
    const patienceMs = (): number => Math.min(SAVE_PATIENCE_MS, leftMs() / 2);
    // I1: a restart carries a saved "off" out, so from then on the command for it may have moved something.
    this.#saves.save(active, patienceMs, { met: recordStart(job), withinMs: leftMs() });
  }

  /** `notAfterMs`: a command's deadline (I2); null: at any time. */
  drive(active: boolean, notAfterMs: number | null, pulseMs?: number): void {
    const { activeLevel } = this.#machine.settings;
    const inactiveLevel = oppositeLevel(activeLevel);
    const level = active ? activeLevel : inactiveLevel;
    const order = { level, inactiveLevel, notAfterMs, ...(pulseMs === undefined ? {} : { pulseMs }) };
    const { clock } = this.#deps;
    const overdueMs = clock.nowMs() + DRIVE_TIMEOUT_MS;
    this.#line.drive(order, (result) =>
      // A guard that was held up hears of it later.
      this.#machine.feed(eventOf(result, activeLevel, Math.min(clock.nowMs(), overdueMs))),
    );
  }
}
