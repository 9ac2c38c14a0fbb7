import type { CompleteOutput } from '@relaygate/shared/device';
import { completeAsPromised } from '../../../support/device/written-settings';
import type { Device } from '../../machines/device';
import type { ChangedSettings } from '../../people/local-request';

/** What no technician changes here; the rest is to be asked of `Facts.settings`. */
export type Rules = Omit<CompleteOutput, keyof ChangedSettings>;

/** By output number. */
export function rulesOf({ setup }: Device): Rules[] {
  return setup.outputs.map(completeAsPromised);
}

/** A policy ends it by itself: a guard that does not know since when it is on, from its journal, leaves it off. */
export function isLimited({ maxOnMs, onLinkLoss, onAgentLoss }: Rules): boolean {
  return maxOnMs > 0 || onLinkLoss === 'off' || onAgentLoss === 'off';
}
