/** The history as text for a terminal. */
import type { HistoryChange, HistoryEntry } from '@relaygate/shared';
import type { HistoryReply } from '../agent/technician/local-messages/history';
import type { RelayctlWords } from '../locales/relayctl';

/** Kinds that have the name of a command. */
const COMMANDS: readonly string[] = ['output', 'pulse', 'stop', 'lock', 'unlock'];

export function showHistory({ entries, faults }: HistoryReply, words: RelayctlWords): string {
  const lines = entries.length === 0 ? [words.noHistory] : entries.map((entry) => showEntry(entry, words));
  return [...lines, ...faults.map(({ text }) => words.fault(text))].join('\n');
}

function showEntry(entry: HistoryEntry, words: RelayctlWords): string {
  const { seq, actor, forMs, changes, outcome, reason } = entry;
  const forHowLong = forMs === undefined ? undefined : words.lockedFor(words.duration(forMs));
  const became = [forHowLong, outcome && words.outcome(outcome), reason && words.reason(reason)]
    .filter((word) => word !== undefined)
    .join(', ');
  const text = [whatOf(entry, words), aboutWhat(entry, words), became].filter((part) => part !== '').join(': ');
  return [
    `${seq}  ${whenOf(entry, words)}  ${actor}  ${text}`,
    ...changes.map((change) => showChange(change, words)),
  ].join('\n');
}

/** A command as it would be typed, and other kinds in words. */
function whatOf({ kind, numOutput }: HistoryEntry, words: RelayctlWords): string {
  if (numOutput === undefined) return words.kind(kind);
  const [, state] = /^set-(on|off)$/.exec(kind) ?? [];
  if (state !== undefined) return `set ${numOutput} ${state}`;
  return COMMANDS.includes(kind) ? `${kind} ${numOutput}` : words.ofOutput(words.kind(kind), numOutput);
}

/** The PIN's change shows ids, which say nothing to people. */
function showChange({ member, from, to }: HistoryChange, words: RelayctlWords): string {
  const { made, removed, replaced } = words.pinChange;
  if (member === 'pin.id') return `     PIN: ${from === null ? made : to === null ? removed : replaced}`;
  const short = member.replace(/^outputs\.\d+\./, '');
  return `     ${words.member(short)}: ${from ?? words.none} -> ${to ?? words.none}`;
}

function aboutWhat({ about, aboutLast }: HistoryEntry, words: RelayctlWords): string {
  return about === undefined ? '' : words.entries(about, aboutLast);
}

function whenOf({ atMs, bootMs }: HistoryEntry, words: RelayctlWords): string {
  if (atMs !== null) return new Date(atMs).toISOString().replace(/\.\d+Z$/, 'Z');
  return words.afterBoot(Math.round(bootMs / 1000));
}
