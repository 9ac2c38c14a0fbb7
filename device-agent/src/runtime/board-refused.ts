import { DeviceRefusal } from '../ipc/device-refusal';
import type { ValuesOf } from '../locales/catalogue';
import { BOARD_REFUSALS } from '../locales/en/board-refusals';
import { CAUSES } from '../locales/en/causes';
import { causeIn } from '../locales/sentence';

export type BoardRefusals = ValuesOf<typeof BOARD_REFUSALS>;

const TRANSLATIONS = { ...CAUSES, ...BOARD_REFUSALS };

/** Why a board cannot be opened. Its message is in English, for the log of a guard that ends with it. */
export function boardRefused<Code extends keyof BoardRefusals>(
  error: 'board-unusable' | 'board-busy',
  code: Code,
  values: BoardRefusals[Code],
  options?: ErrorOptions,
): DeviceRefusal {
  const reason = { code, values };
  return new DeviceRefusal(error, reason, causeIn(TRANSLATIONS, reason), options);
}
