import type { History } from '../witnesses/history';
import type { Visit } from './local-request';

export const WRONG_PIN = '00000000';

/** What a visitor of this machine takes for its PIN; null: nobody knows it. */
export function pinOf({ pins }: Pick<History, 'pins'>, machine: string, wanted: Visit['pin']): string | null {
  if (wanted === 'wrong') return WRONG_PIN;
  const known = pins.filter((made) => made.machine === machine && made.pin !== null);
  return known.at(wanted === 'right' ? -1 : -2)?.pin ?? null;
}
