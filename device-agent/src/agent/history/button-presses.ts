import type { Clock } from '@relaygate/shared';
import type { GuardStatus } from '../../guard/protocol';
import { isOfButton } from '../../runtime/button-command-id';
import { type DeviceClock, wallEpochMs } from '../../runtime/wall-time';
import type { History } from './history';

/** How many entries of one output are looked through for a press that an agent of this boot has entered. */
const LOOKED_THROUGH = 100;

/** Enters in the history what buttons have done: the guard did it, with or without this agent. */
export class ButtonPresses {
  readonly #history: Pick<History, 'enterAction' | 'newest'>;
  readonly #deps: { bootId: string; clock: Clock; wallClock: DeviceClock };
  /** Of the guard's last commands those that are entered. */
  #entered: readonly string[] = [];

  constructor(
    history: Pick<History, 'enterAction' | 'newest'>,
    deps: { bootId: string; clock: Clock; wallClock: DeviceClock },
  ) {
    this.#history = history;
    this.#deps = deps;
  }

  look({ lastCommands = [] }: GuardStatus): void {
    const presses = lastCommands.filter(({ commandId }) => isOfButton(commandId));
    const before = this.#entered;
    this.#entered = presses.map(({ commandId }) => commandId);
    for (const press of presses) if (!before.includes(press.commandId)) this.#enter(press);
  }

  #enter({ numOutput, by, outcome, reason, atMs }: NonNullable<GuardStatus['lastCommands']>[number]): void {
    const { bootId, clock, wallClock } = this.#deps;
    const bootMs = Math.round(atMs);
    const actor = by ?? 'button';
    const isEntered = this.#history
      .newest(LOOKED_THROUGH, Number.POSITIVE_INFINITY, numOutput)
      .some((entry) => entry.actor === actor && entry.bootId === bootId && entry.bootMs === bootMs);
    if (isEntered) return;
    const epochMs = wallEpochMs(wallClock);
    const when = { bootMs, atMs: epochMs === null ? null : epochMs - (clock.nowMs() - atMs) };
    void this.#history.enterAction({ actor, kind: 'button', numOutput, outcome, reason, when });
  }
}
