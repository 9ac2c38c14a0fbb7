/** Where the answers of `relayctl prove` come from: a person who watches the relays, or a file. */
import { RelaygateError } from '@relaygate/shared/relaygate-error';
import type { Answer } from '../proof/proof-round';
import { type TypedQuestions, typedAnswers, type Watcher } from '../proof/watched-round';
import { problemOf } from '../runtime/problem';
import type { Terminal } from './terminal';

const QUESTIONS: TypedQuestions = {
  which: '  Which one clicked? (number on the board, 0 = none, r = again) ',
  again: 'r',
  isOn: (relay) => `  Relay ${relay} is commanded off. Is it on now, its lamp lit? (y/n) `,
  yes: ['y', 'yes'],
  no: ['n', 'no'],
};

/** Asks; `names` by the output's number. Rejects with `refused` when nobody answers any more. */
export function askedAnswers(terminal: Terminal, names: readonly string[]): Watcher {
  const ask = async (question: string): Promise<string> => {
    const text = await terminal.ask(question);
    if (text !== null) return text;
    throw new RelaygateError('refused', 'Not all questions were answered; nothing is proven.');
  };
  return {
    willClick: async (numOutput) =>
      terminal.tell(`Relay ${numOutput + 1} of ${names.length} ("${names[numOutput]}") will click 3 times.`),
    ...typedAnswers(names.length, QUESTIONS, ask),
  };
}

/** One line of JSON an output, `{"relay":1,"isOn":false}`. Throws `bad-usage` for any other text. */
export function writtenAnswers(text: string): Watcher {
  const answers = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(answerIn);
  const answerFor = async (numOutput: number): Promise<Answer> => {
    const answer = answers[numOutput];
    if (answer) return answer;
    throw new RelaygateError('bad-usage', `There is no answer for output ${numOutput}.`);
  };
  return {
    willClick: async (numOutput) => void (await answerFor(numOutput)),
    which: async (numOutput) => (await answerFor(numOutput)).relay,
    isOn: async (_relay, numOutput) => (await answerFor(numOutput)).isOn,
  };
}

function answerIn(line: string): Answer {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new RelaygateError('bad-usage', `An answer is not JSON: ${problemOf(error)}.`, { cause: error });
  }
  if (typeof value === 'object' && value !== null && 'relay' in value && 'isOn' in value) {
    const { relay, isOn } = value;
    if (typeof relay === 'number' && typeof isOn === 'boolean') return { relay, isOn };
  }
  throw new RelaygateError('bad-usage', 'An answer is like {"relay":1,"isOn":false}, a line each.');
}
