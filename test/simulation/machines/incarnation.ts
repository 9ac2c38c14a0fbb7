import type { Cancel, Clock } from '@relaygate/shared';
import type { Scheduler } from '../scheduler';
import type { MachineClock } from './machine-clock';

interface Delivery {
  run: () => void;
  isTimer: boolean;
}

/** How long an effect of a port takes to happen, and its answer to come back. */
export interface PortTiming {
  beforeMs: number;
  afterMs: number;
}

/** A timer of Node is a little late. */
const TIMER_LATENESS_MS = 0.05;
/** One thing after the other: no two that had to wait are handled at the same moment. */
const HANDLING_MS = 0.01;

/**
 * One life of a process. Everything that happens to its code comes through `deliver`, so a stalled one finds it all
 * waiting; a dead one has no timers, its port calls have no effect any more, and they never settle.
 */
export class Incarnation implements Clock {
  readonly name: string;
  readonly #scheduler: Scheduler;
  readonly #machineClock: MachineClock;
  readonly #uncaught: (error: unknown) => void;
  readonly #onDeath: ((isSilent: boolean) => void)[] = [];
  #isAlive = true;
  #stalledUntilMs = 0;
  #timersFirst = false;
  #backlog: Delivery[] = [];
  #timers = 0;
  /** Points at port calls until something happens; 0: nothing does. */
  #pointsLeft = 0;
  #atPoint: () => void = () => {};

  /** `uncaught` hears of what this life's code throws and nobody catches, which ends it. */
  constructor(
    name: string,
    {
      scheduler,
      machineClock,
      uncaught,
    }: {
      scheduler: Scheduler;
      machineClock: MachineClock;
      uncaught: (error: unknown) => void;
    },
  ) {
    this.name = name;
    this.#uncaught = uncaught;
    this.#scheduler = scheduler;
    this.#machineClock = machineClock;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** What it does now has waited for it to go on. */
  get isCatchingUp(): boolean {
    return this.#backlog.length > 0;
  }

  /** Timers that are set now. */
  get timers(): number {
    return this.#timers;
  }

  nowMs(): number {
    return this.#machineClock.localMs(this.#scheduler.nowMs);
  }

  after(delayMs: number, run: () => void): Cancel {
    if (!this.#isAlive) return () => {};
    let isSet = true;
    this.#timers += 1;
    const unset = (): boolean => {
      const was = isSet;
      if (was) this.#timers -= 1;
      isSet = false;
      return was;
    };
    const dueMs = this.#scheduler.nowMs + this.#machineClock.trueDelayMs(delayMs) + TIMER_LATENESS_MS;
    const cancel = this.#scheduler.at(dueMs, () => this.#deliver({ run: () => unset() && run(), isTimer: true }));
    return () => {
      cancel();
      unset();
    };
  }

  /** Something from outside reaches this process now. */
  deliver(run: () => void): void {
    this.#deliver({ run, isTimer: false });
  }

  /** Runs code of this process now. What it throws ends the process, as it would end Node. */
  attempt(run: () => void): void {
    if (!this.#isAlive) return;
    try {
      run();
    } catch (error) {
      this.#uncaught(error);
      this.kill();
    }
  }

  /** Calls `listener` when this life ends. `isSilent`: with its machine, so that nobody hears of it. */
  onDeath(listener: (isSilent: boolean) => void): void {
    this.#onDeath.push(listener);
  }

  kill(isSilent = false): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#backlog = [];
    for (const listener of this.#onDeath) listener(isSilent);
  }

  stall(durationMs: number, timersFirst: boolean): void {
    if (!this.#isAlive) return;
    const wasStalled = this.#isStalled;
    this.#stalledUntilMs = Math.max(this.#stalledUntilMs, this.#scheduler.nowMs + durationMs);
    this.#timersFirst = timersFirst;
    if (!wasStalled) this.#scheduler.at(this.#stalledUntilMs, () => this.#resume());
  }

  /** This life ends at the n-th point from now; a port call has one before its effect and one after it. */
  dieAtPoint(pointsFromNow: number): void {
    this.atPoint(pointsFromNow, () => this.kill());
  }

  /** The same for something else, instead of what was to happen before; 0: nothing. */
  atPoint(pointsFromNow: number, happen: () => void): void {
    this.#pointsLeft = pointsFromNow;
    this.#atPoint = happen;
  }

  /** A moment at which the seed may end this life. False when it has ended. */
  point(): boolean {
    if (this.#isAlive && this.#pointsLeft > 0) {
      this.#pointsLeft -= 1;
      if (this.#pointsLeft === 0) this.#atPoint();
    }
    return this.#isAlive;
  }

  /** A call of a port: its effect happens outside, unless the process is dead by then; the answer comes back later. */
  call<T>(timing: () => PortTiming, effect: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (!this.point()) return;
      const { beforeMs, afterMs } = timing();
      const answer = (settle: () => void): void => {
        if (this.point()) this.#scheduler.in(afterMs, () => this.deliver(settle));
      };
      this.#scheduler.in(beforeMs, () => {
        if (!this.#isAlive) return;
        happened(effect).then(
          (value) => answer(() => resolve(value)),
          (error) => answer(() => reject(error)),
        );
      });
    });
  }

  get #isStalled(): boolean {
    return this.#scheduler.nowMs < this.#stalledUntilMs;
  }

  #deliver(delivery: Delivery): void {
    if (!this.#isAlive) return;
    if (this.#isStalled || this.#backlog.length > 0) this.#backlog.push(delivery);
    else this.attempt(delivery.run);
  }

  #resume(): void {
    if (!this.#isAlive) return;
    if (this.#isStalled) {
      this.#scheduler.at(this.#stalledUntilMs, () => this.#resume());
      return;
    }
    if (this.#timersFirst) {
      this.#backlog = [...this.#backlog.filter(({ isTimer }) => isTimer), ...this.#backlog.filter((d) => !d.isTimer)];
      this.#timersFirst = false;
    }
    const [next] = this.#backlog;
    if (!next) return;
    // It stands in the backlog until it has run, so that nothing new overtakes the rest.
    this.attempt(next.run);
    this.#backlog.shift();
    if (this.#backlog.length > 0) this.#scheduler.in(HANDLING_MS, () => this.#resume());
  }
}

async function happened<T>(effect: () => T | Promise<T>): Promise<T> {
  return effect();
}
