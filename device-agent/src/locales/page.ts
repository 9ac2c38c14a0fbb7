/** What the page says, in each of its languages: the English record is the type, so a text that lacks does not compile. */
import { known } from './common';
import type { PAGE } from './en/page';

export type PageTranslations = typeof PAGE;

/** "refused: locked". */
export function outcomeInWords(t: PageTranslations, outcome: string, reason: string | undefined): string {
  const word = known(t.outcomes, outcome) ?? outcome;
  return reason === undefined ? word : `${word}: ${t.reason(reason)}`;
}

/** At the beginning of a line. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
