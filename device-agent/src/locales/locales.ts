/**
 * The locale of a reader's language. The page is bundled without console and doctor, so it has its own
 * (page/src/language.ts).
 */
import type { ConsoleLanguage } from '@relaygate/shared/device';
import { EN } from './en';
import { FR } from './fr';
import type { Locale } from './locale';

const LOCALES: Record<ConsoleLanguage, Locale> = { en: EN, fr: FR };

export function localeOf(language: ConsoleLanguage): Locale {
  return LOCALES[language];
}
