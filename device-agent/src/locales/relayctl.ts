/** What relayctl says: the English record is the type, so a text that lacks in another language does not compile. */
import type { ConsoleLanguage } from '@relaygate/shared/device';
import type { RELAYCTL } from './en/relayctl';

export type RelayctlTranslations = Omit<typeof RELAYCTL, 'language'> & { language: ConsoleLanguage };

/** The language that a terminal's programs speak, as POSIX has it: the first of these variables that is set decides. */
export function terminalLanguage({ LC_ALL, LC_MESSAGES, LANG }: NodeJS.ProcessEnv): ConsoleLanguage {
  return /^fr(?![a-z])/i.test(LC_ALL || LC_MESSAGES || LANG || '') ? 'fr' : 'en';
}
