/** The history as text for a terminal. */
import type { HistoryChange, HistoryEntry } from '@relaygate/shared';
import type { HistoryReply } from '../agent/technician/local-messages/history';
import type { RelayctlTranslations } from '../locales/relayctl';

/** Kinds that have the name of a command. */
const COMMANDS: readonly string[] = ['output', 'pulse', 'stop', 'lock', 'unlock'];

export function showHistory({ entries, faults }: HistoryReply, t: RelayctlTranslations): string {
  const lines = entries.length === 0 ? [t.noHistory] : entries.map((entry) => showEntry(entry, t));
  return [...lines, ...faults.map(({ text }) => t.fault(text))].join('\n');
}

function showEntry(entry: HistoryEntry, t: RelayctlTranslations): string {
  const { seq, actor, forMs, changes, outcome, reason } = entry;
  const forHowLong = forMs === undefined ? undefined : t.lockedFor(t.duration(forMs));
  const became = [forHowLong, outcome && t.outcome(outcome), reason && t.reason(reason)]
    .filter((word) => word !== undefined)
    .join(', ');
  const text = [whatOf(entry, t), aboutWhat(entry, t), became].filter((part) => part !== '').join(': ');
  return [`${seq}  ${whenOf(entry, t)}  ${actor}  ${text}`, ...changes.map((change) => showChange(change, t))].join(
    '\n',
  );
}

/** A command as it would be typed, and other kinds in words. */
function whatOf({ kind, numOutput }: HistoryEntry, t: RelayctlTranslations): string {
  if (numOutput === undefined) return t.kind(kind);
  const [, state] = /^set-(on|off)$/.exec(kind) ?? [];
  if (state !== undefined) return `set ${numOutput} ${state}`;
  return COMMANDS.includes(kind) ? `${kind} ${numOutput}` : t.ofOutput(t.kind(kind), numOutput);
}

/** The PIN's change shows ids, which say nothing to people. */
function showChange({ member, from, to }: HistoryChange, t: RelayctlTranslations): string {
  const { made, removed, replaced } = t.pinChange;
  if (member === 'pin.id') return `     PIN: ${from === null ? made : to === null ? removed : replaced}`;
  const short = member.replace(/^outputs\.\d+\./, '');
  return `     ${t.member(short)}: ${from ?? t.none} -> ${to ?? t.none}`;
}

function aboutWhat({ about, aboutLast }: HistoryEntry, t: RelayctlTranslations): string {
  return about === undefined ? '' : t.entries(about, aboutLast);
}

function whenOf({ atMs, bootMs }: HistoryEntry, t: RelayctlTranslations): string {
  if (atMs !== null) return new Date(atMs).toISOString().replace(/\.\d+Z$/, 'Z');
  return t.afterBoot(Math.round(bootMs / 1000));
}
