/** The history as text for a terminal. */
import type { HistoryChange, HistoryEntry } from '@relaygate/shared';
import type { HistoryReply } from '../agent/technician/local-messages/history';
import { durationWords } from '../runtime/duration';

export function showHistory({ entries, faults }: HistoryReply): string {
  const lines = entries.length === 0 ? ['nothing was done at this device yet'] : entries.map(showEntry);
  return [...lines, ...faults.map(({ text }) => `fault: ${text}`)].join('\n');
}

function showEntry(entry: HistoryEntry): string {
  const { seq, actor, forMs, changes, outcome, reason } = entry;
  const forHowLong = forMs === undefined ? undefined : `for ${durationWords(forMs)}`;
  const became = [forHowLong, outcome, reason].filter((word) => word !== undefined).join(', ');
  const text = [whatOf(entry), aboutWhat(entry), became].filter((part) => part !== '').join(': ');
  return [`${seq}  ${whenOf(entry)}  ${actor}  ${text}`, ...changes.map(showChange)].join('\n');
}

/** As it would be typed, where it was a command. */
function whatOf({ kind, numOutput }: HistoryEntry): string {
  if (numOutput === undefined) return kind;
  switch (kind) {
    case 'set-on':
      return `set ${numOutput} on`;
    case 'set-off':
      return `set ${numOutput} off`;
    case 'output':
    case 'pulse':
    case 'stop':
    case 'lock':
    case 'unlock':
      return `${kind} ${numOutput}`;
    default:
      return `${kind} output ${numOutput}`;
  }
}

/** The PIN's change shows ids, which say nothing to people. */
function showChange({ member, from, to }: HistoryChange): string {
  if (member === 'pin.id') return `     PIN: ${from === null ? 'made' : to === null ? 'removed' : 'replaced'}`;
  const short = member.replace(/^outputs\.\d+\./, '');
  return `     ${short}: ${from ?? 'none'} -> ${to ?? 'none'}`;
}

function aboutWhat({ about, aboutLast }: HistoryEntry): string {
  if (about === undefined) return '';
  return about === aboutLast ? `entry ${about}` : `entries ${about} to ${aboutLast}`;
}

function whenOf({ atMs, bootMs }: HistoryEntry): string {
  if (atMs !== null) return new Date(atMs).toISOString().replace(/\.\d+Z$/, 'Z');
  return `${Math.round(bootMs / 1000)} s after a boot`;
}
