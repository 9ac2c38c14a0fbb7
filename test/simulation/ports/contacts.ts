import type { BoardListener, InputEdge } from '@relaygate/device-agent/relay/relay-driver';
import { oppositeLevel } from '@relaygate/device-agent/runtime/opposite-level';
import type { InputSettings, Level } from '@relaygate/shared/device';
import type { Incarnation } from '../machines/incarnation';
import type { Scheduler } from '../scheduler';
import type { ContactChange } from '../witnesses/board-records';

/** From the edge until the guard is interrupted. */
const INTERRUPT_MS = 0.1;

export interface ContactsDeps {
  machine: string;
  scheduler: Scheduler;
  inputs: readonly InputSettings[];
  isAwayOf(owner: Incarnation): boolean;
  log(change: ContactChange): void;
}

interface Listening {
  listener: BoardListener;
  /** What its guard has not taken yet. */
  waiting: InputEdge[];
}

/** The inputs of a board that mean something: contacts and buttons, which people and the wind move. */
export class Contacts {
  readonly #deps: ContactsDeps;
  readonly #activeLevels: ReadonlyMap<number, Level>;
  /** Closed or pressed now. */
  readonly #active = new Set<number>();
  readonly #listening = new Map<Incarnation, Listening>();

  constructor(deps: ContactsDeps) {
    this.#deps = deps;
    this.#activeLevels = new Map(deps.inputs.map(({ numInput, activeLevel = 'low' }) => [numInput, activeLevel]));
  }

  has(input: number): boolean {
    return this.#activeLevels.has(input);
  }

  levelOf(input: number): Level {
    const level = this.#activeLevels.get(input) ?? 'low';
    return this.#active.has(input) ? level : oppositeLevel(level);
  }

  listen(owner: Incarnation, listener: BoardListener): void {
    if (this.#activeLevels.size === 0) return;
    this.#listening.set(owner, { listener, waiting: [] });
    owner.onDeath(() => this.#listening.delete(owner));
  }

  move(input: number, isActive: boolean): void {
    const { machine, scheduler, isAwayOf, log } = this.#deps;
    if (!this.has(input) || this.#active.has(input) === isActive) return;
    if (isActive) this.#active.add(input);
    else this.#active.delete(input);
    log({ machine, input, isActive, atMs: scheduler.nowMs });
    for (const [owner, listening] of this.#listening) {
      if (isAwayOf(owner)) continue;
      listening.waiting.push({ input, level: this.levelOf(input), atMs: owner.nowMs() });
      if (listening.waiting.length === 1) scheduler.in(INTERRUPT_MS, () => this.#interrupt(owner, listening));
    }
  }

  /** A guard that was held up reads all of them at once. */
  #interrupt(owner: Incarnation, { listener, waiting }: Listening): void {
    owner.deliver(() => {
      const edges = waiting.splice(0);
      if (!this.#deps.isAwayOf(owner)) listener.edges?.(edges);
    });
  }
}
