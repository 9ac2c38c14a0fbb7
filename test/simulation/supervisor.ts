import type { Life } from './history';
import { Incarnation } from './incarnation';
import type { MachineClock } from './machine-clock';
import type { Surroundings } from './surroundings';

/** What starts a program: a promise that resolves when it is ready. */
export type Start = (life: Incarnation) => Promise<void>;

/** Keeps one program running, as systemd does: another life some time after the last one has ended. */
export class Supervisor {
  readonly name: string;
  readonly #world: Surroundings;
  readonly #clock: MachineClock;
  readonly #bootId: () => string;
  readonly #start: Start;
  #life: Incarnation | null = null;
  #isHalted = true;
  /** Of the next restart; a fault may set it. */
  restartMs = 300;

  constructor(name: string, parts: { world: Surroundings; clock: MachineClock; bootId: () => string; start: Start }) {
    this.name = name;
    this.#world = parts.world;
    this.#clock = parts.clock;
    this.#bootId = parts.bootId;
    this.#start = parts.start;
  }

  get life(): Incarnation | null {
    return this.#life;
  }

  up(delayMs: number): void {
    this.#isHalted = false;
    this.#world.scheduler.in(delayMs, () => {
      if (!this.#life && !this.#isHalted) this.#begin();
    });
  }

  kill(): void {
    this.#life?.kill();
  }

  /** With its machine: nobody hears of it, and it does not come back by itself. */
  powerOff(): void {
    this.#isHalted = true;
    this.#life?.kill(true);
  }

  #begin(): void {
    const { scheduler, history, processes } = this.#world;
    const life = new Incarnation(this.name, {
      scheduler,
      machineClock: this.#clock,
      uncaught: (error) => this.#world.uncaught(this.name, error),
    });
    const record: Life = {
      name: this.name,
      fromMs: scheduler.nowMs,
      readyMs: null,
      untilMs: null,
      bootId: this.#bootId(),
    };
    history.lives.push(record);
    this.#life = life;
    processes.set(this.name, life);
    this.#world.trace(() => `${this.name} starts`);
    life.onDeath(() => {
      record.untilMs = scheduler.nowMs;
      this.#life = null;
      this.#world.trace(() => `${this.name} dies`);
      if (!this.#isHalted) this.up(this.restartMs);
      this.restartMs = 300;
    });
    this.#start(life).then(
      () => {
        if (!life.isAlive) return;
        record.readyMs = scheduler.nowMs;
        this.#world.trace(() => `${this.name} is ready`);
      },
      (error: unknown) => {
        this.#world.trace(() => `${this.name} cannot start: ${error}`);
        this.restartMs = 1_000;
        life.kill();
      },
    );
  }
}
