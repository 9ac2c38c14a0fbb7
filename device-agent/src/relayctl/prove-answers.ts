/** Where the answers of `relayctl prove` come from: a person who watches the relays, or a file. */
import { RelaygateError } from '@relaygate/shared/relaygate-error';
import type { RelayctlTranslations } from '../locales/relayctl';
import type { Answer } from '../proof/proof-round';
import { typedAnswers, type Watcher } from '../proof/watched-round';
import { badUsage } from '../runtime/complaint';
import { problemOf } from '../runtime/problem';
import type { Terminal } from './terminal';

/** Asks a person; `names` by the output's number. Rejects with `refused` when nobody answers any more. */
export function askedAnswers(terminal: Terminal, names: readonly string[], t: RelayctlTranslations): Watcher {
  const { prove, yes, no, unanswered } = t;
  const ask = async (question: string): Promise<string> => {
    const text = await terminal.ask(question);
    if (text !== null) return text;
    throw new RelaygateError('refused', unanswered);
  };
  return {
    willClick: async (numOutput) => terminal.note(prove.willClick(numOutput + 1, names.length, names[numOutput] ?? '')),
    // Scripts that answer know English, whatever the terminal speaks.
    ...typedAnswers(names.length, { ...prove, yes: [...yes, 'y', 'yes'], no: [...no, 'n', 'no'] }, ask),
  };
}

/** One line of JSON an output, `{"relay":1,"isOn":false}`. Throws `bad-usage` for any other text. */
export function writtenAnswers(text: string, t: RelayctlTranslations): Watcher {
  const answers = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => answerIn(line, t));
  const answerFor = async (numOutput: number): Promise<Answer> => {
    const answer = answers[numOutput];
    if (answer) return answer;
    throw badUsage(t.noAnswerFor(numOutput));
  };
  return {
    willClick: async (numOutput) => void (await answerFor(numOutput)),
    which: async (numOutput) => (await answerFor(numOutput)).relay,
    isOn: async (_relay, numOutput) => (await answerFor(numOutput)).isOn,
  };
}

function answerIn(line: string, t: RelayctlTranslations): Answer {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw badUsage(t.notJson(problemOf(error)), error);
  }
  if (typeof value === 'object' && value !== null && 'relay' in value && 'isOn' in value) {
    const { relay, isOn } = value;
    if (typeof relay === 'number' && typeof isOn === 'boolean') return { relay, isOn };
  }
  throw badUsage(t.answerShape);
}
