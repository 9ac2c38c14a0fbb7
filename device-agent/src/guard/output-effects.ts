import type { Level } from '@relaygate/shared/device';
import { SAVE_PATIENCE_MS } from '@relaygate/shared/device-limits';
import { oppositeLevel } from '../relay/relay-driver';
import type { BoardLine } from './board-line';
import { eventOf } from './drive-result';
import type { OutputCommands } from './output-commands';
import type { OutputDeps } from './output-deps';
import type { Output, OutputEffect, OutputEvent } from './output-phase';
import { OutputWait } from './output-wait';
import { StateSaves } from './state-saves';

/** The output whose effects they are. */
export interface EffectiveOutput {
  numOutput: number;
  line: BoardLine;
  commands: OutputCommands;
  activeLevel(): Level;
  phase(): Output;
  feed(event: OutputEvent): void;
}

/** Carries out what an output's state machine says: on its board, its disk, its clock, and for its commands. */
export class OutputEffects {
  readonly #output: EffectiveOutput;
  readonly #deps: OutputDeps;
  readonly #wait: OutputWait;
  readonly #saves: StateSaves;

  constructor(output: EffectiveOutput, deps: OutputDeps) {
    this.#output = output;
    this.#deps = deps;
    this.#wait = new OutputWait(deps.clock, () => output.feed({ kind: 'due' }));
    this.#saves = new StateSaves(
      deps.clock,
      (active) => deps.saveState(output.numOutput, active),
      (kind) => output.feed({ kind }),
    );
  }

  /** When what is waited for is due, on the guard's clock; null: nothing is. */
  get waitEndsMs(): number | null {
    return this.#wait.endsMs;
  }

  carryOut(effect: OutputEffect): void {
    const { commands, activeLevel } = this.#output;
    switch (effect.do) {
      case 'drive':
        if (effect.command) return this.#driveInTime(effect);
        return this.#drive({ active: effect.active, notAfterMs: null });
      case 'look':
        return commands.look(activeLevel());
      case 'save':
        return this.#save(effect.active);
      case 'wait':
        return this.#wait.begin(effect.sinceMs ?? this.#deps.clock.nowMs(), effect.delayMs);
      case 'stop-waiting':
        return this.#wait.stop();
      case 'settle':
        return commands.settle(effect);
      case 'put-back':
        return this.#deps.putBack();
      case 'postpone':
        return commands.postpone();
      default:
        effect satisfies never;
    }
  }

  #driveInTime({ active, pulseMs }: { active: boolean; pulseMs?: number }): void {
    this.#output.commands.waitUntilMaySwitch(active, ({ startBeforeMs }) =>
      this.#drive({ active, notAfterMs: startBeforeMs, ...(pulseMs === undefined ? {} : { pulseMs }) }),
    );
  }

  #save(active: boolean): void {
    const { commands, phase } = this.#output;
    const { clock, recordStart } = this.#deps;
    const { current } = commands;
    if (!current || phase().phase !== 'saving-off') return this.#saves.save(active, () => SAVE_PATIENCE_MS);
    const leftMs = (): number => Math.max(0, current.startBeforeMs - clock.nowMs());
    // A disk that hangs leaves the command enough time to switch off all the same.
    const patienceMs = (): number => Math.min(SAVE_PATIENCE_MS, leftMs() / 2);
    // I1: a restart carries a saved "off" out, so from then on the command for it may have moved something.
    this.#saves.save(active, patienceMs, { met: recordStart(current), withinMs: leftMs() });
  }

  #drive({ active, ...order }: { active: boolean; notAfterMs: number | null; pulseMs?: number }): void {
    const { line, feed } = this.#output;
    const activeLevel = this.#output.activeLevel();
    const inactiveLevel = oppositeLevel(activeLevel);
    line.drive({ level: active ? activeLevel : inactiveLevel, inactiveLevel, ...order }, (result) =>
      feed(eventOf(result, activeLevel)),
    );
  }
}
