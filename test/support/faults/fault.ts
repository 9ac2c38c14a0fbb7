import { appendFileSync } from 'node:fs';
import { monotonicNowMs } from '@relaygate/shared/system';
import { SeededChance } from '../chance/seeded-chance';
import { inconclusive, note, repeat } from '../time/excuse';
import { pause } from '../time/waiting';
import type { Pair } from './pair';
import type { Site } from './site';

/** `npm run test:faults` says how often. */
const MULTIPLIED = Number(process.env.RELAYGATE_REPEAT ?? 0);
/** `npm run test:faults`. */
export const IS_WHOLE = MULTIPLIED > 0;
/** How many of the first problems a failure tells. */
const TOLD = 5;
const FRAMES_TOLD = 3;
const APART_MS = 70;

/** How often a fault is played in `npm run test:full`, and in `npm run test:faults` before `--repeat`. */
export interface Times {
  readonly few: number;
  readonly full: number;
}
/** One that is over in a moment. */
export const SHORT: Times = { few: 4, full: 100 };
/** The same where a fault has two ways to be played. */
export const HALF: Times = { few: 2, full: 50 };
/** One that lasts seconds, in that many pairs at once. */
export const LONG: Times = { few: 2, full: 20 };

/** The pairs of a site whose faults wait most of their time. */
export const MANY_PAIRS = IS_WHOLE ? LONG.full : 4;
/** The pairs that play short faults, which keep the processors busy. */
export const FEW_PAIRS = 3;
/** For Jest; each wait inside has its own. */
export const PLAY_LIMIT_MS = 900_000 * Math.max(MULTIPLIED, 1);

/** What a repetition has to tell: the time that the fault's line is about, if it has one. */
type Played = number | undefined;

/** One line of the table that a full run ends with; test/support/tools/fault-table.mjs prints it. */
export class Fault {
  /** As in the test plan: T5. */
  readonly id: string;
  readonly #title: string;
  readonly #worst: string;

  /** `worst`: what the worst time is of. */
  constructor(id: string, title: string, worst: string) {
    this.id = id;
    this.#title = title;
    this.#worst = worst;
  }

  /**
   * Plays the fault on several pairs at once, each settled before and judged by the invariants after it. Rejects, after
   * all repetitions, when one broke an invariant or an expectation of its own, with what replays it.
   */
  async play(
    pairs: readonly Pair[],
    times: Times,
    body: (pair: Pair, chance: SeededChance) => Promise<Played>,
  ): Promise<void> {
    const tally = new Tally();
    let left = timesOf(times);
    const worker = async (pair: Pair, number: number): Promise<void> => {
      // Not all at the same moment, or they would wait for each other instead of for the fault.
      await pause(number * APART_MS);
      while (left > 0) {
        left -= 1;
        await tally.one(async (chance) => {
          await pair.settle();
          const playedMs = await body(pair, chance);
          await judge([pair]);
          return playedMs;
        });
      }
    };
    await Promise.all(pairs.map(worker));
    this.#report(tally);
  }

  /** The same for a fault that strikes all pairs of a site together; each of them counts. */
  async playOnAll(site: Site, times: Times, body: (chance: SeededChance) => Promise<Played>): Promise<void> {
    const tally = new Tally(site.pairs.length);
    for (let left = timesOf(times); left > 0; left -= site.pairs.length) {
      await tally.one(async (chance) => {
        await site.settle();
        const playedMs = await body(chance);
        await judge(site.pairs);
        return playedMs;
      });
    }
    this.#report(tally);
  }

  /** The same for a fault with a stage of its own; the body judges. */
  async playAlone(times: Times, atOnce: number, body: (chance: SeededChance) => Promise<Played>): Promise<void> {
    const tally = new Tally();
    let left = timesOf(times);
    const worker = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        await tally.one(body);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    this.#report(tally);
  }

  #report({ repetitions, problems, worstMs }: Tally): void {
    const { id } = this;
    const row = { id, title: this.#title, worst: this.#worst, repetitions, violations: problems.length, worstMs };
    const file = process.env.RELAYGATE_FAULT_RESULTS;
    if (file !== undefined) appendFileSync(file, `${JSON.stringify(row)}\n`);
    if (problems.length === 0) return;
    const told = problems.slice(0, TOLD).join('\n\n');
    throw new Error(`${id}: ${problems.length} of ${repetitions} repetitions went wrong.\n${told}`);
  }
}

/** Milliseconds since `sinceMs` of CLOCK_MONOTONIC. */
export function elapsedMs(sinceMs: number): number {
  return monotonicNowMs() - sinceMs;
}

class Tally {
  repetitions = 0;
  worstMs: number | null = null;
  readonly problems: string[] = [];
  readonly #weight: number;

  constructor(weight = 1) {
    this.#weight = weight;
  }

  async one(body: (chance: SeededChance) => Promise<Played>): Promise<void> {
    this.repetitions += this.#weight;
    try {
      await repeat(async () => {
        const chance = new SeededChance();
        await chance.replayable(async () => {
          const playedMs = await body(chance);
          if (playedMs !== undefined) this.worstMs = Math.max(this.worstMs ?? 0, playedMs);
        });
      });
    } catch (error) {
      this.problems.push(inWords(error));
    }
  }
}

/** Jest's message and where in a test it was; errors come from another realm. */
function inWords(error: unknown): string {
  const { message, stack = '' } = error as Error;
  const where = stack.split('\n').filter((line) => /^ +at .*\/test\//.test(line));
  return [message, ...where.slice(0, FRAMES_TOLD)].join('\n');
}

/** Waits until all is known, and rejects when an invariant is broken. `copies` of the only pair's card count with it. */
export async function judge(pairs: readonly Pair[], copies: readonly Pair[] = []): Promise<void> {
  await Promise.all(pairs.map((pair) => pair.untilResolved()));
  const judged = pairs.map((pair) => ({ ...pair.judged(copies), of: pair.productLogin }));
  const violations = judged.flatMap((one) => one.violations.map((text) => `${text} (${one.of})`));
  if (violations.length > 0) throw new Error(violations.join('\n'));
  for (const { what, verdict } of judged.flatMap(({ late }) => late)) {
    if (verdict.kind === 'inconclusive') throw inconclusive(what, verdict.lostMs);
    note({ kind: 'excused', what, lostMs: verdict.lostMs });
  }
}

function timesOf({ few, full }: Times): number {
  return IS_WHOLE ? full * MULTIPLIED : few;
}
