/** A round of the proof as questions and answers: at the console, at a terminal, or from a file. */
import { type Answer, beginRound, nextInRound } from './proof-round';

/** Says what the relays did. Each function rejects if nobody answers. */
export interface Watcher {
  /** Before an output's first click. */
  willClick(numOutput: number): Promise<void>;
  /** The relay's number on the board; 0: none clicked. */
  which(numOutput: number): Promise<number | 'again'>;
  isOn(relay: number, numOutput: number): Promise<boolean>;
}

/**
 * Resolves with the answers, by the output's number. Each click is a pulse that the guard ends (I4), so if this rejects, no relay
 * is left on.
 */
export async function watchedRound(
  count: number,
  watcher: Watcher,
  click: (numOutput: number) => Promise<unknown>,
): Promise<Answer[]> {
  let round = beginRound(count);
  for (;;) {
    const { step } = round;
    const numOutput = round.answers.length;
    switch (step.at) {
      case 'click':
        await watcher.willClick(numOutput);
        await click(numOutput);
        round = nextInRound(round, { kind: 'clicked' });
        break;
      case 'which': {
        const relay = await watcher.which(numOutput);
        if (relay === 'again') await click(numOutput);
        else round = nextInRound(round, { kind: 'saw', relay });
        break;
      }
      case 'is-on':
        round = nextInRound(round, { kind: 'lamp', isOn: await watcher.isOn(step.relay, numOutput) });
        break;
      case 'review':
        return round.answers;
      default:
        return step satisfies never;
    }
  }
}

export interface TypedQuestions {
  which: string;
  /** The answer that makes it click once more. */
  again: string;
  isOn(relay: number): string;
  yes: readonly string[];
  no: readonly string[];
}

const RELAY = /^(0|[1-9]\d?)$/;

/** Asks until the answer is possible. `ask` rejects when nobody answers any more. */
export function typedAnswers(
  count: number,
  { which, again, isOn, yes, no }: TypedQuestions,
  ask: (question: string) => Promise<string>,
): Pick<Watcher, 'which' | 'isOn'> {
  const askUntil = async <T>(question: string, read: (text: string) => T | null): Promise<T> => {
    for (;;) {
      const answer = read((await ask(question)).toLowerCase());
      if (answer !== null) return answer;
    }
  };
  return {
    which: () =>
      askUntil(which, (text) => {
        if (text === again) return 'again';
        return RELAY.test(text) && Number(text) <= count ? Number(text) : null;
      }),
    isOn: (relay) =>
      askUntil(isOn(relay), (text) => {
        if (yes.includes(text)) return true;
        return no.includes(text) ? false : null;
      }),
  };
}
