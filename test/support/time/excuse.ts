/**
 * How far a late machine excuses what it made late. Judged is what a pulse or an answer was late beyond its own limit; excused
 * is what the machine lost within the window of that pulse or answer, up to a cap. Beyond the cap nothing can be said about the
 * program: the repetition is inconclusive, and is played again.
 */
import { appendFileSync } from 'node:fs';

/** In ms: what the machine may have lost. Where it is to be quiet, what it alone explains is inconclusive. */
export const CAP_MS = { pulse: 50, answer: 300, quiet: 0 } as const;
export type Excusable = keyof typeof CAP_MS;

/** How often one repetition is played until it can be judged. */
const MAX_PLAYS = 8;

export interface Verdict {
  readonly kind: 'in-time' | 'excused' | 'inconclusive' | 'late';
  /** What the machine lost. */
  readonly lostMs: number;
}

/** `lateMs`: beyond the limit; `lostMs` is asked only for what was late. */
export function verdictOn(what: Excusable, lateMs: number, lostMs: () => number): Verdict {
  if (lateMs <= 0) return { kind: 'in-time', lostMs: 0 };
  const lost = lostMs();
  if (what === 'quiet') return { kind: lateMs > lost ? 'late' : 'inconclusive', lostMs: lost };
  if (lost > CAP_MS[what]) return { kind: 'inconclusive', lostMs: lost };
  return { kind: lateMs <= lost ? 'excused' : 'late', lostMs: lost };
}

/** The machine was too late for anything to be said about the program. */
export class Inconclusive extends Error {}

export function inconclusive(what: Excusable, lostMs: number): Inconclusive {
  return new Inconclusive(
    `inconclusive: the machine lost ${lostMs.toFixed(1)} ms; ${CAP_MS[what]} ms are excused at most (${what})`,
  );
}

/** What `test/support/time/excuse-tally.ts` adds up for each suite. */
export type Noted =
  | { readonly kind: 'repetition' }
  | { readonly kind: 'inconclusive' }
  | { readonly kind: 'excused'; readonly what: Excusable; readonly lostMs: number };

export function note(noted: Noted): void {
  const file = process.env.RELAYGATE_EXCUSES;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(noted)}\n`);
}

/**
 * Plays it until it can be judged; what went wrong is never played again. `again`: what sets the stage anew, where the body
 * does not by itself.
 */
export async function repeat<T>(body: () => Promise<T>, again = async (): Promise<void> => {}): Promise<T> {
  for (let play = 1; ; play += 1) {
    note({ kind: 'repetition' });
    try {
      return await body();
    } catch (error) {
      if (!(error instanceof Inconclusive)) throw error;
      note({ kind: 'inconclusive' });
      if (play === MAX_PLAYS) throw new Error(`${MAX_PLAYS} times ${error.message}`);
      await again();
    }
  }
}
