import type { BoardListener } from '@relaygate/device-agent/relay/relay-driver';
import type { Level } from '@relaygate/shared/device';
import type { SeededChance } from '../../support/chance/seeded-chance';
import type { Incarnation } from '../machines/incarnation';
import type { Scheduler } from '../scheduler';
import type { Absence } from '../witnesses/board-records';
import { Layers } from './layers';

/** The port is opened, and the board greeted. */
const GREETING_MS = 150;

export interface AdapterParts {
  machine: string;
  scheduler: Scheduler;
  chance: SeededChance;
  levels(): readonly Level[];
  /** What the board had in hand is not answered by it any more. */
  unplugged(): void;
  log(absence: Absence): void;
}

/** What stands between a guard and its board: while it is unplugged nothing can be said to the board. */
export class Adapter {
  readonly #parts: AdapterParts;
  /** Those that have opened the board, by the life of their guard. */
  readonly #listeners = new Map<Incarnation, BoardListener>();
  /** What they opened still leads to the board: it ends with the adapter, and is opened anew by a guard that works. */
  readonly #connected = new Set<Incarnation>();
  /** How often it is unplugged. */
  readonly #unplugged = new Layers<boolean>(false);
  #absence: Absence | null = null;

  constructor(parts: AdapterParts) {
    this.#parts = parts;
  }

  isAwayOf(owner: Incarnation): boolean {
    return this.#absence !== null || !this.#connected.has(owner);
  }

  open(owner: Incarnation, listener: BoardListener): void {
    this.#listeners.set(owner, listener);
    owner.onDeath(() => this.close(owner));
    if (this.#absence) owner.deliver(() => listener.lost(PROBLEM));
    else this.#connected.add(owner);
  }

  close(owner: Incarnation): void {
    this.#listeners.delete(owner);
    this.#connected.delete(owner);
  }

  /** `tells`: when it is back the board says how its relays are. The result plugs it in again. */
  unplug({ tells }: { tells: boolean }): () => void {
    const { machine, scheduler, chance, unplugged, log } = this.#parts;
    const end = this.#unplugged.begin(true);
    if (!this.#absence) {
      this.#absence = { machine, fromMs: scheduler.nowMs, untilMs: Number.POSITIVE_INFINITY };
      log(this.#absence);
      this.#connected.clear();
      for (const [owner, listener] of this.#listeners) owner.deliver(() => listener.lost(PROBLEM));
      unplugged();
    }
    return () => {
      end();
      scheduler.in(chance.fraction() * GREETING_MS, () => {
        if (!this.#unplugged.top) this.#greet(tells);
      });
    };
  }

  #greet(tells: boolean): void {
    const { scheduler, levels, log } = this.#parts;
    if (!this.#absence) return;
    this.#absence.untilMs = scheduler.nowMs;
    log(this.#absence);
    this.#absence = null;
    const found = levels().map((level) => (tells ? level : null));
    for (const [owner, listener] of this.#listeners) owner.deliver(() => this.#back(owner, listener, found));
  }

  #back(owner: Incarnation, listener: BoardListener, found: readonly (Level | null)[]): void {
    // It went again before this guard had heard of it.
    if (this.#absence) return;
    this.#connected.add(owner);
    listener.back(found);
  }
}

const PROBLEM = 'its adapter is unplugged';
