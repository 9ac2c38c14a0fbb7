/** Where the answers of `relayctl prove` come from: a person who watches the relays, or a file. */
import { RelaygateError } from '@relaygate/shared/errors';
import type { ProveRequest } from '../agent/local-messages/proof';
import { problemOf } from '../runtime/problem';
import type { Terminal } from './terminal';

export type Answer = ProveRequest['answers'][number];

/** Has the relay of an output clicked, as often as it is called, and says what was seen. */
export type AnswerSource = (numOutput: number, click: () => Promise<void>) => Promise<Answer>;

const RELAY = /^(0|[1-9][0-9]?)$/;

/** Asks; `names` by the output's number. Rejects with `refused` when nobody answers any more. */
export function askedAnswers(terminal: Terminal, names: readonly string[]): AnswerSource {
  const ask = async <T>(question: string, read: (text: string) => T | null): Promise<T> => {
    for (;;) {
      const text = await terminal.ask(question);
      if (text === null) throw new RelaygateError('refused', 'Not all questions were answered; nothing is proven.');
      const answer = read(text.toLowerCase());
      if (answer !== null) return answer;
    }
  };
  return async (numOutput, click) => {
    terminal.tell(`Relay ${numOutput + 1} of ${names.length} ("${names[numOutput]}") will click 3 times.`);
    for (;;) {
      await click();
      const relay = await ask('  Which one clicked? (number on the board, 0 = none, r = again) ', (text) => {
        if (text === 'r') return 'again' as const;
        return RELAY.test(text) && Number(text) <= names.length ? Number(text) : null;
      });
      if (relay === 'again') continue;
      if (relay === 0) return { relay, isOn: false };
      const isOn = await ask(`  Relay ${relay} is commanded off. Is it on now, its lamp lit? (y/n) `, (text) => {
        if (text === 'y' || text === 'yes') return true;
        return text === 'n' || text === 'no' ? false : null;
      });
      return { relay, isOn };
    }
  };
}

/** One line of JSON an output, `{"relay":1,"isOn":false}`. Throws `bad-usage` for any other text. */
export function writtenAnswers(text: string): AnswerSource {
  const answers = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(answerIn);
  return async (numOutput, click) => {
    const answer = answers[numOutput];
    if (!answer) throw new RelaygateError('bad-usage', `There is no answer for output ${numOutput}.`);
    await click();
    return answer;
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
