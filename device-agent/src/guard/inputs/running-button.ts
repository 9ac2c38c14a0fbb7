import type { Cancel, Clock } from '@relaygate/shared';
import type { ButtonSettings } from '@relaygate/shared/device';
import { STUCK_BUTTON_MS } from '@relaygate/shared/device-limits';
import { pressId } from '../../runtime/press-id';
import type { GuardCommand } from '../commands/command-outcomes';
import { type ButtonEffect, type ButtonEvent, NEW_BUTTON, stepButton } from './button';
import type { LevelChange } from './debounce';

/** What was pressed begins within this, but for the time that an interlock takes, or never: a door that opens late is a danger. */
const PRESS_DEADLINE_MS = 1_000;
/** To switch off what is held no longer. */
const LET_GO_DEADLINE_MS = 5_000;

export interface ButtonDeps {
  clock: Pick<Clock, 'nowMs'>;
  /** Timers may be late. */
  slackClock: Clock;
  /** Of the output now: `hold` lasts no longer, and its interlock makes it wait so long. */
  limitsOf(numOutput: number): { maxOnMs: number; interlockDelayMs: number };
  execute(command: GuardCommand): void;
  warn(text: string): void;
}

/** A button and the output that it switches. */
export class RunningButton {
  readonly #settings: ButtonSettings;
  readonly #deps: ButtonDeps;
  #button = NEW_BUTTON;
  #cancelLimit: Cancel = () => {};

  constructor(settings: ButtonSettings, deps: ButtonDeps) {
    this.#settings = settings;
    this.#deps = deps;
  }

  get isStuck(): boolean {
    return this.#button.phase === 'stuck';
  }

  /** `isPressed`: what its input shows after `change`; null: nobody knows. */
  shows(isPressed: boolean | null, change: LevelChange | null): void {
    if (isPressed === null || change === null) return this.#feed({ kind: 'lost' });
    if (!isPressed) return this.#feed({ kind: 'released' });
    const { atMs, isFirst } = change;
    this.#feed({ kind: 'pressed', atMs, isFirst, nowMs: this.#deps.clock.nowMs() });
  }

  #feed(event: ButtonEvent): void {
    const [button, effects] = stepButton(this.#button, event);
    this.#button = button;
    this.#cancelLimit();
    const { slackClock } = this.#deps;
    if (button.phase === 'pressed') {
      const delayMs = Math.max(0, button.sinceMs + this.#limitMs - slackClock.nowMs());
      this.#cancelLimit = slackClock.after(delayMs, () => this.#feed({ kind: 'limit' }));
    }
    for (const effect of effects) this.#carryOut(effect);
  }

  #carryOut(effect: ButtonEffect): void {
    const { numInput, name, output, action } = this.#settings;
    switch (effect.do) {
      case 'press':
        return this.#press(effect.atMs);
      case 'let-go':
        if (action !== 'hold') return;
        return this.#letGo();
      case 'ignore':
        // Of a bouncing finger nobody wants to read.
        if (effect.why === 'too-soon') return;
        return this.#deps.warn(
          `input ${numInput} (${name}): a press came too late, and output ${output} stays as it is`,
        );
      default:
        return effect satisfies never;
    }
  }

  #press(atMs: number): void {
    const { numInput, output, action, obeysLocks = true } = this.#settings;
    const { interlockDelayMs } = this.#deps.limitsOf(output);
    this.#execute({
      commandId: pressId(numInput, atMs),
      command: action === 'hold' ? { action: 'set', state: 1 } : { action },
      startBeforeMs: atMs + PRESS_DEADLINE_MS + interlockDelayMs,
      obeysLocks,
    });
  }

  #letGo(): void {
    const nowMs = this.#deps.clock.nowMs();
    const commandId = `let-go-${this.#settings.numInput}-${Math.round(nowMs)}`;
    this.#execute({ commandId, command: { action: 'set', state: 0 }, startBeforeMs: nowMs + LET_GO_DEADLINE_MS });
  }

  #execute(command: Omit<GuardCommand, 'numOutput' | 'epoch' | 'by'>): void {
    const { name, output: numOutput } = this.#settings;
    this.#deps.execute({ ...command, numOutput, epoch: null, by: `button ${name}` });
  }

  get #limitMs(): number {
    const { action, output, stuckMs = STUCK_BUTTON_MS } = this.#settings;
    return action === 'hold' ? this.#deps.limitsOf(output).maxOnMs : stuckMs;
  }
}
