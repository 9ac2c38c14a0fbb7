import type { Cancel, Clock } from '@relaygate/shared';
import { Budget } from '@relaygate/shared/budget';
import type { ButtonSettings, CompleteOutput } from '@relaygate/shared/device';
import { STUCK_BUTTON_MS } from '@relaygate/shared/device-limits';
import type { GuardCommand } from '../commands/command-outcomes';
import type { GuardConfirmation } from '../requests';
import { type ButtonEvent, NEW_BUTTON, stepButton } from './button';
import type { LevelChange } from './debounce';

/**
 * A press moves its output within this time, plus what an interlock takes, or never: a gate that opens late is a danger.
 */
const PRESS_DEADLINE_MS = 1_000;
/** To switch off what is held no longer. */
const LET_GO_DEADLINE_MS = 5_000;

/** How many presses count at once, then one every 2 s: each is recorded, here and at the server (I15). */
const PRESSES = { burst: 20, perSecond: 0.5 };
const NOTHING_MOVED: readonly string[] = ['refused', 'expired', 'already-set'];

export interface OutputLimits extends Pick<CompleteOutput, 'mode' | 'maxOnMs'> {
  interlockDelayMs: number;
}

export interface ButtonDeps {
  clock: Pick<Clock, 'nowMs'>;
  /** Timers may be late. */
  slackClock: Clock;
  limitsOf(numOutput: number): OutputLimits;
  /** A relay clicks for somebody who watches: each press is refused. */
  isClicking(): boolean;
  execute(command: GuardCommand): Promise<GuardConfirmation | null>;
  warn(text: string): void;
}

/** A button and the output that it switches. */
export class RunningButton {
  readonly #settings: ButtonSettings;
  readonly #deps: ButtonDeps;
  readonly #presses: Budget;
  #button = NEW_BUTTON;
  /** The press that keeps the output on; null: none does. */
  #holding: object | null = null;
  #cancelLimit: Cancel = () => {};

  constructor(settings: ButtonSettings, deps: ButtonDeps) {
    this.#settings = settings;
    this.#deps = deps;
    this.#presses = new Budget(deps.clock, PRESSES);
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
    for (const effect of effects) {
      if (effect.do === 'press') this.#press(effect.atMs, effect.isOld);
      else this.#letGo();
    }
  }

  #press(atMs: number, isOld: boolean): void {
    const { numInput, output, action, obeysLocks = true } = this.#settings;
    const { mode, interlockDelayMs } = this.#deps.limitsOf(output);
    const isOtherMode = mode !== (action === 'pulse' ? 'impulse' : 'on-off');
    // A relay that clicks has another mode meanwhile.
    if (isOtherMode && !this.#deps.isClicking()) return this.#warn(`is not for an output of mode ${mode}`);
    if (this.#presses.take() > 0) return this.#warn('came after too many others');
    const press = {};
    if (action === 'hold') this.#holding = press;
    const executed = this.#execute({
      commandId: buttonCommandId(numInput, 'press', atMs),
      command: action === 'hold' ? { action: 'set', state: 1 } : { action },
      // I2: an old one expires at once, and stands with those that were refused.
      startBeforeMs: isOld ? atMs : atMs + PRESS_DEADLINE_MS + interlockDelayMs,
      obeysLocks,
    });
    void executed.then((confirmation) => {
      const hasMoved = !NOTHING_MOVED.includes(confirmation?.outcome ?? '');
      if (this.#holding === press && !hasMoved) this.#holding = null;
    });
  }

  /** Lets go of the output. What others have switched on stays on. */
  #letGo(): void {
    if (this.#holding === null) return;
    this.#holding = null;
    const nowMs = this.#deps.clock.nowMs();
    void this.#execute({
      commandId: buttonCommandId(this.#settings.numInput, 'release', nowMs),
      command: { action: 'set', state: 0 },
      startBeforeMs: nowMs + LET_GO_DEADLINE_MS,
    });
  }

  #execute(command: Omit<GuardCommand, 'numOutput' | 'epoch' | 'by'>): Promise<GuardConfirmation | null> {
    const { name, output: numOutput } = this.#settings;
    return this.#deps.execute({ ...command, numOutput, epoch: null, by: `button ${name}` });
  }

  #warn(why: string): void {
    const { numInput, name, output } = this.#settings;
    this.#deps.warn(`input ${numInput} (${name}): a press ${why}, and output ${output} stays as it is`);
  }

  get #limitMs(): number {
    const { action, output, stuckMs = STUCK_BUTTON_MS } = this.#settings;
    return (action === 'hold' && this.#deps.limitsOf(output).maxOnMs) || stuckMs;
  }
}

/** See isOfButton. `atMs`: on the guard's clock. */
function buttonCommandId(numInput: number, what: 'press' | 'release', atMs: number): string {
  return `button-${numInput}-${what}-${Math.round(atMs)}`;
}
