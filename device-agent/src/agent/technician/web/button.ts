import { type Cancel, type Clock, WEB_DEFAULT_MS } from '@relaygate/shared';
import type { Level, WebSettings } from '@relaygate/shared/device';
import type { Log } from '../../../runtime/log';
import { problemOf } from '../../../runtime/problem';
import type { GuardContact } from '../../commands/guard-contact';

export const HELD_MS = 5_000;
/**
 * How often the button is read: seldom enough to leave the guard its time for outputs, often enough to notice a finger that
 * lets go.
 */
export const LOOK_MS = 500;
const ACTOR = 'button';

/**
 * `unknown`: nobody knows whether it is pressed, or it was never seen released, as a wire that is stuck or not there.
 * `taken`: this press has done what it does.
 */
export type Press = { stage: 'unknown' | 'released' | 'taken' } | { stage: 'pressed'; sinceMs: number };

/** The press after the next reading of the button; `isPressed` null: it cannot be read. */
export function stepPress(press: Press, isPressed: boolean | null, nowMs: number): { press: Press; isHeld: boolean } {
  if (isPressed === null) return { press: { stage: 'unknown' }, isHeld: false };
  if (!isPressed) return { press: { stage: 'released' }, isHeld: false };
  if (press.stage === 'released') return { press: { stage: 'pressed', sinceMs: nowMs }, isHeld: false };
  const isHeld = press.stage === 'pressed' && nowMs - press.sinceMs >= HELD_MS;
  return { press: isHeld ? { stage: 'taken' } : press, isHeld };
}

export interface ButtonDeps {
  clock: Clock;
  guard: Pick<GuardContact, 'status' | 'inputLevel'>;
  web: { on(forMs: number, hotspot: boolean, actor: string): Promise<unknown> };
  settings: WebSettings | undefined;
  log: Log;
}

/** A button that switches the page on when it is held for HELD_MS. The guard has the lines, so it is asked. */
export class Button {
  readonly #deps: ButtonDeps;
  #press: Press = { stage: 'unknown' };
  #isStopped = false;
  #cancel: Cancel = () => {};

  constructor(deps: ButtonDeps) {
    this.#deps = deps;
  }

  /** Does nothing if there is no button. */
  start(): void {
    const { buttonInput, buttonActiveLevel = 'low' } = this.#deps.settings ?? {};
    if (buttonInput !== undefined) this.#lookLater(buttonInput, buttonActiveLevel);
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  #lookLater(input: number, activeLevel: Level): void {
    if (this.#isStopped) return;
    this.#cancel = this.#deps.clock.after(LOOK_MS, () => void this.#look(input, activeLevel));
  }

  /** The next reading comes after the answer to this one, so at most one question is with the guard. */
  async #look(input: number, activeLevel: Level): Promise<void> {
    const { clock, guard } = this.#deps;
    const level = guard.status ? await guard.inputLevel(input).catch(() => null) : null;
    const { press, isHeld } = stepPress(this.#press, level && level === activeLevel, clock.nowMs());
    this.#press = press;
    this.#lookLater(input, activeLevel);
    if (isHeld && !this.#isStopped) await this.#switchOn();
  }

  async #switchOn(): Promise<void> {
    const { web, log } = this.#deps;
    await web.on(WEB_DEFAULT_MS, false, ACTOR).catch((error: unknown) => {
      log.warn(`the button could not switch the page on: ${problemOf(error)}`);
    });
  }
}
