import { completeOutput, type OutputSettings } from '@relaygate/shared/device';

/** "pulseMs 500 -> 750", one for each member that is another one, defaults named or not. */
export function changeWords(before: OutputSettings, after: OutputSettings): string[] {
  const was = new Map<string, unknown>(Object.entries(completeOutput(before)));
  return Object.entries(completeOutput(after))
    .filter(([member, value]) => was.get(member) !== value)
    .map(([member, value]) => `${member} ${was.get(member) ?? 'none'} -> ${value ?? 'none'}`);
}
