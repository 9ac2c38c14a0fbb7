import type { HistoryChange } from '@relaygate/shared';
import { completeOutput, type OutputSettings } from '@relaygate/shared/device';

/** One change for each member that differs, whether defaults are named or not. */
export function settingChanges(before: OutputSettings, after: OutputSettings): HistoryChange[] {
  const was = new Map<string, HistoryChange['from']>(Object.entries(completeOutput(before)));
  return Object.entries(completeOutput(after))
    .filter(([member, value]) => was.get(member) !== value)
    .map(([member, to]) => ({ member, from: was.get(member) ?? null, to }));
}
