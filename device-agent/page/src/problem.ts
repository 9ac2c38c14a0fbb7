/** What went wrong, in the reader's language. */

import type { Words } from '../../src/locales/page';
import { NoAnswer, Refusal } from './http';

export interface Message {
  isWell: boolean;
  text: string;
}

export function problemOf(words: Words, error: unknown): Message {
  if (error instanceof NoAnswer) return { isWell: false, text: words.noAnswer };
  return { isWell: false, text: (error instanceof Refusal && error.message) || words.failed };
}
