import type { ConsoleLanguage } from '@relaygate/shared/device';
import { ENGLISH } from './words/english';
import { FRENCH } from './words/french';
import type { Words } from './words/words';

const WORDS: Record<ConsoleLanguage, Words> = { fr: FRENCH, en: ENGLISH };

export function wordsOf(language: ConsoleLanguage): Words {
  return WORDS[language];
}

export function otherLanguage(language: ConsoleLanguage): ConsoleLanguage {
  return language === 'fr' ? 'en' : 'fr';
}
