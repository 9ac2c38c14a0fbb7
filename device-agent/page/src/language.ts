/** The page's language: the one chosen here before, else the browser's. */
import { PAGE as ENGLISH } from '../../src/locales/en/page';
import { PAGE as FRENCH } from '../../src/locales/fr/page';
import type { PageTranslations } from '../../src/locales/page';

export type Language = 'fr' | 'en';
export const TRANSLATIONS: Record<Language, PageTranslations> = { fr: FRENCH, en: ENGLISH };

export function firstLanguage(): Language {
  const kept = keptText('language');
  if (kept === 'fr' || kept === 'en') return kept;
  return navigator.language.startsWith('fr') ? 'fr' : 'en';
}

/** A browser may refuse to keep texts; then nothing is remembered. */
export function keptText(key: 'language' | 'name'): string {
  try {
    return localStorage.getItem(`relaygate-${key}`) ?? '';
  } catch {
    return '';
  }
}

export function keepText(key: 'language' | 'name', text: string): void {
  try {
    localStorage.setItem(`relaygate-${key}`, text);
  } catch {
    // A browser may refuse.
  }
}
