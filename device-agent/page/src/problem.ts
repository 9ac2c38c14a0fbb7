/** What went wrong, in the reader's language. */

import type { PageTranslations } from '../../src/locales/page';
import { NoAnswer, Refusal } from './http';

export interface Message {
  isWell: boolean;
  text: string;
}

export function problemOf(t: PageTranslations, error: unknown): Message {
  if (error instanceof NoAnswer) return { isWell: false, text: t.noAnswer };
  return { isWell: false, text: (error instanceof Refusal && error.message) || t.failed };
}
