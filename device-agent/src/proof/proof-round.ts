/** A round of the proof: relay after relay clicks, and somebody says which. relayctl, console and page show it and ask. Pure. */
import type { ProveRequest } from '../agent/technician/local-messages/proof';

export type Answer = ProveRequest['answers'][number];

export type ProofStep =
  /** The relay of the next output has not clicked yet. */
  | { at: 'click' }
  /** It has clicked: which one of the board was it? */
  | { at: 'which' }
  /** That relay has clicked: is it on while its output is commanded off? */
  | { at: 'is-on'; relay: number }
  /** Each output has its answer. */
  | { at: 'review' };

export interface ProofRound {
  /** How many outputs and relays there are. */
  count: number;
  /** By the output's number: the next output has the number of answers. */
  answers: Answer[];
  step: ProofStep;
}

export type ProofEvent =
  /** The relay is to click, perhaps once more: former answers about it no longer count. */
  | { kind: 'clicking' }
  | { kind: 'clicked' }
  /** The relay's number on the board; 0: none clicked. */
  | { kind: 'saw'; relay: number }
  | { kind: 'lamp'; isOn: boolean };

export function beginRound(count: number): ProofRound {
  return withAnswers(count, []);
}

/** An event that does not fit the step changes nothing. */
export function nextInRound(round: ProofRound, event: ProofEvent): ProofRound {
  const { count, answers, step } = round;
  switch (event.kind) {
    case 'clicking':
      return step.at === 'is-on' ? { ...round, step: { at: 'which' } } : round;
    case 'clicked':
      return step.at === 'click' ? { ...round, step: { at: 'which' } } : round;
    case 'saw':
      if (step.at === 'click' || step.at === 'review') return round;
      if (event.relay === 0) return withAnswers(count, [...answers, { relay: 0, isOn: false }]);
      return { ...round, step: { at: 'is-on', relay: event.relay } };
    case 'lamp':
      if (step.at !== 'is-on') return round;
      return withAnswers(count, [...answers, { relay: step.relay, isOn: event.isOn }]);
    default:
      return event satisfies never;
  }
}

function withAnswers(count: number, answers: Answer[]): ProofRound {
  return { count, answers, step: { at: answers.length < count ? 'click' : 'review' } };
}
