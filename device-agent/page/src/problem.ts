/** What went wrong, in the reader's language where there are words for it. */

import { known } from '../../src/locales/common';
import type { Words } from '../../src/locales/page';
import { NoAnswer, Refusal } from './http';

export interface Message {
  isWell: boolean;
  text: string;
  /** The agent's own sentence, in English. */
  agentSays?: string;
}

export function problemOf(words: Words, error: unknown): Message {
  if (error instanceof NoAnswer) return { isWell: false, text: words.noAnswer };
  if (!(error instanceof Refusal)) return { isWell: false, text: words.failed };
  const { code, message } = error;
  if (words.agentWords === null) return { isWell: false, text: message || words.failed };
  return { isWell: false, text: known(words.agentWords.problems, code) ?? words.failed, agentSays: message };
}
