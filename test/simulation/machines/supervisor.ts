import type { Life, Trouble } from '../witnesses/history';
import { Incarnation } from './incarnation';
import type { MachineClock } from './machine-clock';
import type { Stage } from './stage';

/** What starts a program: a promise that resolves when it is ready, with what ends it in order. */
export type Start = (life: Incarnation) => Promise<() => Promise<void>>;

/** Keeps one program running, as systemd does: another life some time after the last one has ended. */
export class Supervisor {
  readonly name: string;
  readonly #world: Stage;
  readonly #clock: MachineClock;
  readonly #bootId: () => string;
  readonly #start: Start;
  #life: Incarnation | null = null;
  /** Ends the program in order; null: there is none, or it is not ready. */
  #stop: (() => void) | null = null;
  #isHalted = true;
  /** Of the next restart; a fault may set it. */
  restartMs = 300;

  constructor(name: string, parts: { world: Stage; clock: MachineClock; bootId: () => string; start: Start }) {
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

  /** SIGTERM. One that is not ready yet dies of it. */
  stop(): void {
    if (this.#stop) this.#stop();
    else this.kill();
  }

  /** With its machine: nobody hears of it, and it does not come back by itself. */
  powerOff(): void {
    this.#isHalted = true;
    this.#life?.kill(true);
  }

  #stopInOrder(life: Incarnation, record: Life, stop: () => Promise<void>): void {
    const { scheduler, history, sabotage } = this.#world;
    if (record.stop) return;
    const { nowMs } = scheduler;
    const asked = { askedMs: nowMs, isDone: false };
    record.stop = asked;
    const trouble: Trouble = { name: this.name, kind: 'stop', fromMs: nowMs, untilMs: Number.POSITIVE_INFINITY };
    history.troubles.push(trouble);
    life.onDeath(() => {
      trouble.untilMs = scheduler.nowMs;
    });
    this.#world.trace(() => `${this.name} is told to stop`);
    const ended = (): void => {
      if (!life.isAlive) return;
      asked.isDone = true;
      life.kill();
    };
    const inOrder = (): Promise<void> => sabotage.stop?.(this.name, stop) ?? stop();
    life.deliver(() => void inOrder().then(ended, (error) => this.#world.uncaught(this.name, error)));
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
      stop: null,
    };
    history.lives.push(record);
    this.#life = life;
    processes.set(this.name, life);
    this.#world.trace(() => `${this.name} starts`);
    life.onDeath(() => {
      record.untilMs = scheduler.nowMs;
      this.#life = null;
      this.#stop = null;
      this.#world.trace(() => `${this.name} dies`);
      if (!this.#isHalted) this.up(this.restartMs);
      this.restartMs = 300;
    });
    this.#start(life).then(
      (stop) => {
        if (!life.isAlive) return;
        this.#stop = () => this.#stopInOrder(life, record, stop);
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
