/** What a suite ends with: how often a late machine was an excuse, and how often it was too late for anything to be judged. */
import type { Noted } from './excuse';

/** Of the repetitions of a suite. More say that this machine cannot judge it. */
const MAX_INCONCLUSIVE = 0.1;

export interface Tally {
  readonly line: string;
  readonly isTooMany: boolean;
}

/** `noted`: what the tests have written down, one JSON line each. */
export function tallyOf(noted: string): Tally {
  const all = noted.split('\n').filter((line) => line !== '');
  const events = all.map((line): Noted => JSON.parse(line));
  const count = (kind: Noted['kind']): number => events.filter((event) => event.kind === kind).length;
  const [repetitions, inconclusive] = [count('repetition'), count('inconclusive')];
  const isTooMany = inconclusive > repetitions * MAX_INCONCLUSIVE;
  const kinds = (['pulse', 'answer'] as const).map((what) => {
    const lostMs = events.flatMap((event) => (event.kind === 'excused' && event.what === what ? [event.lostMs] : []));
    const longest = lostMs.length === 0 ? '' : ` (${Math.max(...lostMs).toFixed(1)} ms at most)`;
    return `${lostMs.length} ${what}${lostMs.length === 1 ? '' : 's'}${longest}`;
  });
  const again = `${inconclusive} of ${repetitions} repetitions inconclusive`;
  const verdict = isTooMany ? `, more than ${MAX_INCONCLUSIVE * 100} %: this machine is too late to judge it` : '';
  return { line: `excused by a late machine: ${kinds.join(', ')}; ${again}${verdict}`, isTooMany };
}
