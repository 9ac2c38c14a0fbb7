/** What the console and the technician's page both say. Written as for print; a terminal gets plain signs (console-page.ts). */
import type { DeviceOutcome } from '@relaygate/shared';
import type { ConsoleLanguage } from '@relaygate/shared/device';
import type { HistoryKind } from '../agent/history/kinds';
import type { InputStatus } from '../agent/technician/local-messages/device';

export interface CommonTranslations {
  /** Why a command moved nothing, or is not sure; the agent's word is a kebab-case one. */
  reason(word: string): string;
  outcomes: Record<DeviceOutcome | 'ignored' | 'unknown' | 'proven', string>;
  kinds: Record<HistoryKind, string>;
  inputKinds: Record<InputStatus['kind'], string>;
  inputStates: Record<NonNullable<InputStatus['state']> | 'unknown', string>;
  /** How long a state has lasted; `time` such as `1h 59m`. */
  forSoLong(time: string): string;
  noHistory: string;
  noFaults: string;
  /** No value. */
  none: string;
}

/** The name of who gave a command, if the server names nobody. */
export const THE_SERVER = 'the server';

export function otherLanguage(language: ConsoleLanguage): ConsoleLanguage {
  return language === 'fr' ? 'en' : 'fr';
}

/** A word of a table; undefined: the table does not have it. */
export function known(table: Readonly<Record<string, string>>, word: string): string | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}
