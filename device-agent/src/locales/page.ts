/** What the page says, in each of its languages: the English record is the type, so a text that lacks does not compile. */
import { known } from './common';
import type { PAGE } from './en/page';

export type Words = typeof PAGE;

/** "refused: locked". */
export function outcomeInWords(words: Words, outcome: string, reason: string | undefined): string {
  const word = known(words.outcomes, outcome) ?? outcome;
  return reason === undefined ? word : `${word}: ${words.reason(reason)}`;
}

/** At the beginning of a line. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
