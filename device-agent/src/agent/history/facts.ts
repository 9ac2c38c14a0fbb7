/**
 * What may be changed at a device, as a flat list: `outputs.2.pulseMs` -> 750. So every change can be shown in the same
 * words, and the files can be compared with the history.
 */
import type { HistoryChange, HistoryValue } from '@relaygate/shared';
import { completeOutput, type DeviceSettings } from '@relaygate/shared/device';
import { MAX_EVENT_VALUE_CHARS } from '@relaygate/shared/limits';

/** Members without a value (null) are not in it. */
export type Facts = ReadonlyMap<string, HistoryValue>;

/** Facts beside the settings, each under its first word; all other words are members of the settings. */
const OWN_WORDS: ReadonlySet<string> = new Set(['pin']);

/** The settings with every default filled in. An input goes by its number: `inputs.7.name`, wherever it stands in the file. */
export function factsOfSettings({ inputs = [], ...settings }: DeviceSettings): Facts {
  const numbered = Object.fromEntries(inputs.map(({ numInput, ...input }) => [numInput, input]));
  return factsOf({ ...settings, outputs: settings.outputs.map(completeOutput), inputs: numbered });
}

/** `null`: there is no PIN. The id tells one PIN from another, and nothing about either. */
export function factsOfPin(id: string | null): Facts {
  return factsOf({ pin: { id } });
}

export function isOfSettings(member: string): boolean {
  return !OWN_WORDS.has(firstWord(member));
}

/** The changes that make `after` out of `before`; `after` has all facts for which `concerns` says yes. */
export function changesBetween(before: Facts, after: Facts, concerns: (member: string) => boolean): HistoryChange[] {
  const members = new Set([...before.keys(), ...after.keys()].filter(concerns));
  return [...members].flatMap((member) => {
    const [from, to] = [before.get(member) ?? null, after.get(member) ?? null];
    return from === to ? [] : [{ member, from, to }];
  });
}

/** The sum of changes, one after the other: each member once. */
export function sumOf(changes: readonly HistoryChange[]): HistoryChange[] {
  const sum = new Map<string, HistoryChange>();
  for (const change of changes) sum.set(change.member, { ...(sum.get(change.member) ?? change), to: change.to });
  return [...sum.values()].filter(({ from, to }) => from !== to);
}

export function withChanges(facts: Facts, changes: readonly HistoryChange[]): Facts {
  const changed = new Map(facts);
  for (const { member, to } of changes) {
    if (to === null) changed.delete(member);
    else changed.set(member, to);
  }
  return changed;
}

/** The output that a member belongs to. */
export function outputOf(member: string): number | undefined {
  const number = /^outputs\.(\d{1,3})\./.exec(member)?.[1];
  return number === undefined ? undefined : Number(number);
}

function factsOf(value: object): Facts {
  const facts = new Map<string, HistoryValue>();
  collect(value, '', facts);
  return facts;
}

function collect(value: unknown, path: string, into: Map<string, HistoryValue>): void {
  if (typeof value === 'object' && value !== null) {
    const prefix = path === '' ? '' : `${path}.`;
    for (const [name, member] of Object.entries(value)) collect(member, `${prefix}${name}`, into);
    return;
  }
  if (typeof value === 'number' || typeof value === 'boolean') into.set(path, value);
  if (typeof value === 'string') into.set(path, [...value].slice(0, MAX_EVENT_VALUE_CHARS).join(''));
}

function firstWord(member: string): string {
  return member.split('.')[0] ?? '';
}
