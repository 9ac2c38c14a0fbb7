import type { Clock } from '@relaygate/shared';
import { inTime } from '../../runtime/in-time';
import type { Refusal } from '../output-types';
import { type Clearance, clearance, delayOf, type Member } from './interlock';
import { EXPIRED, refusalFor } from './ordered-command';

export interface InterlockedOutput {
  readonly numOutput: number;
  readonly rules: { interlock: string | null; interlockDelayMs: number };
  readonly member: Member;
  /** Switches it off by policy. */
  breakOff(): void;
  /** Resolves when the output is settled, and its feedback input, if there is one, shows that. */
  settled(): Promise<void>;
  /** Resolves with whether "off" is durable: a guard that is killed must not bring it on again beside the other. */
  keepOff(): Promise<boolean>;
}

/** The command, or the guard itself, that wants an output on. */
export interface InterlockRequest {
  /** On the guard's clock (I2). */
  startBeforeMs: number;
  /** Whether a lock keeps it from an output: what a technician has locked it must not switch off. */
  isBarred(numOutput: number): boolean;
  /** Why it may not go on any more (I2, I12). */
  refusal(): Refusal | null;
}

/** The turn of one output that is to go on. */
export interface Turn {
  /** null: the output may go on now, and no other of its group can, until `end`. */
  cleared: Promise<Refusal | null>;
  /** Another output was switched off for it. */
  readonly hasBroken: boolean;
  /** The start is through or given up, and moves nothing more. The caller always calls it. */
  end(): void;
}

/** How long a turn waits before it asks again, if nothing has changed. */
const ASK_AGAIN_MS = 10;

/** Starts of one group take turns, so that between "all others are off" and the edge nothing goes on. */
export class InterlockTurns {
  readonly #clock: Clock;
  readonly #outputs: () => readonly InterlockedOutput[];
  readonly #last = new Map<string, Promise<void>>();

  constructor(clock: Clock, outputs: () => readonly InterlockedOutput[]) {
    this.#clock = clock;
    this.#outputs = outputs;
  }

  take({ numOutput }: InterlockedOutput, group: string, request: InterlockRequest): Turn {
    const before = this.#last.get(group) ?? Promise.resolve();
    const members = () => this.#outputs().filter(({ rules }) => rules.interlock === group);
    const turn = new InterlockTurn({ clock: this.#clock, numOutput, request, members }, before);
    this.#last.set(
      group,
      before.then(() => turn.ended),
    );
    return turn;
  }
}

interface TurnDeps {
  clock: Clock;
  /** The output that is to go on. */
  numOutput: number;
  request: InterlockRequest;
  members(): readonly InterlockedOutput[];
}

class InterlockTurn implements Turn {
  readonly #deps: TurnDeps;
  readonly cleared: Promise<Refusal | null>;
  readonly ended: Promise<void>;
  hasBroken = false;
  #end: () => void = () => {};
  #isOver = false;

  constructor(deps: TurnDeps, before: Promise<void>) {
    this.#deps = deps;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.cleared = before.then(() => this.#clear());
  }

  end(): void {
    this.#isOver = true;
    this.#end();
  }

  async #clear(): Promise<Refusal | null> {
    const { clock, numOutput, request } = this.#deps;
    const { startBeforeMs, isBarred, refusal } = request;
    let isKeptOff = false;
    let last = '';
    while (!this.#isOver) {
      const members = this.#deps.members();
      const others = members.filter((member) => member.numOutput !== numOutput);
      const nowMs = clock.nowMs();
      // Checked before anything is moved for it (I2, I12).
      const problem = refusal();
      if (problem) return problem;
      const delayMs = delayOf(members.map(({ rules }) => rules));
      const next = clearance(
        others.map(({ member }) => member),
        delayMs,
        nowMs,
        startBeforeMs,
      );
      if (next.do === 'refuse') return refusalFor(next.reason);
      const broken = next.do === 'break' ? next.members : [];
      // A technician works at one that it would switch off.
      if (broken.some(isBarred)) return refusalFor('locked');
      if (next.do === 'go' && isKeptOff) return null;
      if (next.do === 'go') {
        isKeptOff = await this.#keepOff(others);
        if (!isKeptOff) return refusalFor('interlocked');
        continue;
      }
      isKeptOff = false;
      const round = `${nowMs} ${JSON.stringify(next)}`;
      await (round === last ? this.#until(nowMs + ASK_AGAIN_MS) : this.#carryOut(next, others));
      last = round;
    }
    return EXPIRED;
  }

  async #carryOut(next: Exclude<Clearance, { do: 'go' | 'refuse' }>, others: readonly InterlockedOutput[]) {
    if (next.do === 'wait') return this.#until(next.untilMs);
    const outputs = others.filter(({ numOutput }) => next.members.includes(numOutput));
    if (next.do === 'break') {
      this.hasBroken = true;
      for (const output of outputs) output.breakOff();
    }
    return this.#until(this.#deps.request.startBeforeMs, Promise.all(outputs.map((output) => output.settled())));
  }

  /** False when the disk refuses, or has not answered by the deadline. */
  async #keepOff(others: readonly InterlockedOutput[]): Promise<boolean> {
    let isKept = false;
    const kept = Promise.all(others.map((other) => other.keepOff())).then((all) => {
      isKept = all.every(Boolean);
    });
    await this.#until(this.#deps.request.startBeforeMs, kept);
    return isKept;
  }

  async #until(untilMs: number, done: Promise<unknown> = new Promise(() => {})): Promise<void> {
    const { clock } = this.#deps;
    await inTime(clock, untilMs - clock.nowMs(), done, null);
  }
}
