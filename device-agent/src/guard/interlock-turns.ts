import type { Clock } from '@relaygate/shared';
import { clearance, delayOf, type Member } from './interlock';
import type { Objection } from './ordered-command';

export interface InterlockedOutput {
  readonly numOutput: number;
  readonly rules: { interlock: string | null; interlockDelayMs: number };
  readonly member: Member;
  /** Off by policy; resolves when the output is settled. */
  breakOff(): Promise<void>;
  settled(): Promise<void>;
}

/** One start of an output on its way to be cleared. */
export interface Turn {
  /** null: the output may go on now, and no other of its group can, until `end`. */
  cleared: Promise<Objection | null>;
  /** The start is through or given up: nothing more is moved for it. To be called in any case. */
  end(): void;
}

/** Starts of one group take turns, so that between "all others are off" and the edge nothing goes on. */
export class InterlockTurns {
  readonly #clock: Clock;
  readonly #outputs: () => readonly InterlockedOutput[];
  readonly #last = new Map<string, Promise<void>>();

  constructor(clock: Clock, outputs: () => readonly InterlockedOutput[]) {
    this.#clock = clock;
    this.#outputs = outputs;
  }

  /** `startBeforeMs` on the guard's clock (I2). */
  take(output: InterlockedOutput, group: string, startBeforeMs: number): Turn {
    const before = this.#last.get(group) ?? Promise.resolve();
    let isOver = false;
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#last.set(
      group,
      before.then(() => ended),
    );
    return {
      cleared: before.then(() => this.#clear(output, group, startBeforeMs, () => isOver)),
      end() {
        isOver = true;
        end();
      },
    };
  }

  async #clear(
    output: InterlockedOutput,
    group: string,
    startBeforeMs: number,
    isOver: () => boolean,
  ): Promise<Objection | null> {
    while (!isOver()) {
      const members = this.#outputs().filter(({ rules }) => rules.interlock === group);
      const others = members.filter(({ numOutput }) => numOutput !== output.numOutput);
      const nowMs = this.#clock.nowMs();
      if (nowMs >= startBeforeMs) return { outcome: 'expired' };
      const delayMs = delayOf(members.map(({ rules }) => rules));
      const next = clearance(
        others.map(({ member }) => member),
        delayMs,
        nowMs,
        startBeforeMs,
      );
      switch (next.do) {
        case 'go':
          return null;
        case 'refuse':
          return { outcome: 'refused', reason: next.reason };
        case 'settle':
          await this.#before(startBeforeMs, pick(others, next.members, 'settled'));
          break;
        case 'break':
          await this.#before(startBeforeMs, pick(others, next.members, 'breakOff'));
          break;
        case 'wait':
          await this.#before(next.untilMs, new Promise(() => {}));
          break;
        default:
          next satisfies never;
      }
    }
    return { outcome: 'expired' };
  }

  /** A disk that hangs holds nobody beyond its deadline. */
  #before(untilMs: number, done: Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const cancel =
        untilMs === Number.POSITIVE_INFINITY
          ? () => {}
          : this.#clock.after(Math.max(0, untilMs - this.#clock.nowMs()), resolve);
      void done.then(() => {
        cancel();
        resolve();
      });
    });
  }
}

function pick(
  outputs: readonly InterlockedOutput[],
  numbers: readonly number[],
  what: 'settled' | 'breakOff',
): Promise<unknown> {
  return Promise.all(outputs.filter(({ numOutput }) => numbers.includes(numOutput)).map((output) => output[what]()));
}
