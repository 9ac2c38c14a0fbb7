/** What the answers of the person who watched the relays say about the wiring. Pure. */
import type { Reason } from '../../runtime/cause';
import { oppositeLevel } from '../../runtime/opposite-level';
import type { Refusals } from '../../runtime/refused';
import type { Wiring } from '../settings/wiring';
import type { Correction, ProveRequest } from '../technician/local-messages/proof';

export type ProofVerdict =
  | { kind: 'right' }
  | { kind: 'wrong'; after: Wiring; corrections: Correction[] }
  /** No settings could make it right. */
  | { kind: 'impossible'; problems: Reason[] };

/** `answers` by the output's number, one for each. Relay N of the board is that of output N - 1. */
export function verdictOn(wiring: Wiring, answers: ProveRequest['answers']): ProofVerdict {
  const problems = problemsOf(wiring, answers);
  if (problems.length > 0) return { kind: 'impossible', problems };
  const after = corrected(wiring, answers);
  const corrections = wiring.activeLevels.flatMap((_level, numOutput) => correctionsOf(wiring, after, numOutput));
  return corrections.length === 0 ? { kind: 'right' } : { kind: 'wrong', after, corrections };
}

function problemsOf({ lines, activeLevels }: Wiring, answers: ProveRequest['answers']): Reason[] {
  const count = activeLevels.length;
  if (answers.length !== count) return [problem('answers-missing', { relays: count, answers: answers.length })];
  const relays = answers.map(({ relay }) => relay);
  return relays.flatMap((relay, numOutput): Reason[] => {
    if (relay === 0) return [problem('no-relay-clicked', { numOutput })];
    if (relay > count) return [problem('no-such-relay', { relay, count })];
    const first = relays.indexOf(relay);
    if (first < numOutput) return [problem('relay-twice', { relay, first, second: numOutput })];
    if (relay !== numOutput + 1 && lines === null) return [problem('lines-fixed', { numOutput, relay })];
    return [];
  });
}

function problem<Code extends keyof Refusals>(code: Code, values: Refusals[Code]): Reason {
  return { code, values };
}

/** The output that moved a relay gives its line and the level that was seen to work to the output of that relay. */
function corrected(wiring: Wiring, answers: ProveRequest['answers']): Wiring {
  const outputOf = wiring.activeLevels.map((_level, own) => answers.findIndex(({ relay }) => relay === own + 1));
  return {
    ...wiring,
    lines: wiring.lines && outputOf.map((numOutput, own) => wiring.lines?.[numOutput] ?? own),
    activeLevels: outputOf.map((numOutput, own) => {
      const level = wiring.activeLevels[numOutput] ?? wiring.activeLevels[own] ?? 'high';
      return answers[numOutput]?.isOn ? oppositeLevel(level) : level;
    }),
  };
}

function correctionsOf(before: Wiring, after: Wiring, numOutput: number): Correction[] {
  const line = changed(before.lines?.[numOutput], after.lines?.[numOutput]);
  const activeLevel = changed(before.activeLevels[numOutput], after.activeLevels[numOutput]);
  if (!line && !activeLevel) return [];
  return [{ numOutput, ...(line ? { line } : {}), ...(activeLevel ? { activeLevel } : {}) }];
}

function changed<T>(from: T | undefined, to: T | undefined): { from: T; to: T } | null {
  return from === undefined || to === undefined || from === to ? null : { from, to };
}
