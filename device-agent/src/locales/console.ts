/** What the console says: the English record is the type, so a text that lacks in another language does not compile. */
import type { ConsoleLanguage } from '@relaygate/shared/device';
import type { CONSOLE } from './en/console';

export type ConsoleTranslations = Omit<typeof CONSOLE, 'language'> & { language: ConsoleLanguage };
export type ProofTranslations = ConsoleTranslations['prove'];
