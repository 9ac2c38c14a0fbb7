import type { Cancel, Clock } from '@relaygate/shared';
import { type Fault, fault } from '../../runtime/fault';
import type { DeviceClock } from '../../runtime/wall-time';

/** How long network and time server may take after a start. */
const PATIENCE_MS = 120_000;
const LOOK_MS = 15_000;

export interface ClockWatchDeps {
  clock: Clock;
  wallClock: DeviceClock;
  onChange(): void;
}

/** Says when nobody sets the clock, until somebody does. */
export class ClockWatch {
  readonly #deps: ClockWatchDeps;
  #startedMs = Number.POSITIVE_INFINITY;
  #isMissed = false;
  #cancel: Cancel | null = null;

  constructor(deps: ClockWatchDeps) {
    this.#deps = deps;
  }

  get faults(): Fault[] {
    return this.#isMissed ? [fault('clock-not-set', {})] : [];
  }

  start(): void {
    this.#startedMs = this.#deps.clock.nowMs();
    this.#look();
  }

  stop(): void {
    this.#cancel?.();
  }

  #look(): void {
    const { clock, wallClock, onChange } = this.#deps;
    const wasMissed = this.#isMissed;
    const isSet = wallClock.isSet();
    this.#isMissed = !isSet && clock.nowMs() - this.#startedMs >= PATIENCE_MS;
    // A clock that was set once stays set.
    if (!isSet) this.#cancel = clock.after(LOOK_MS, () => this.#look());
    if (this.#isMissed !== wasMissed) onChange();
  }
}
