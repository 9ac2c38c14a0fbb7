/** What the console and the technician's page both say. Written as for print; a terminal gets plain signs (console-page.ts). */
import type { DeviceOutcome, DeviceReason } from '@relaygate/shared';

/** Errors that there are words for in each language; others are shown by the agent's sentence alone. */
type KnownProblem =
  | 'guard-unreachable'
  | 'outcome-unknown'
  | 'out-of-range'
  | 'output-active'
  | 'output-not-found'
  | 'refused'
  | 'unproven';

/** Of the history's entries. */
type KnownKind =
  | 'board'
  | 'by-hand'
  | 'click'
  | 'known-later'
  | 'lock'
  | 'not-confirmed'
  | 'not-done'
  | 'not-in-file'
  | 'output'
  | 'pin'
  | 'proof'
  | 'pulse'
  | 'set-off'
  | 'set-on'
  | 'stop'
  | 'unlock'
  | 'web-off'
  | 'web-on'
  | 'web-on-wifi';

export interface CommonWords {
  /** What the agent says, by its code; null: its own words are in this language. */
  agentWords: { problems: Record<KnownProblem, string>; reasons: Record<DeviceReason, string> } | null;
  outcomes: Record<DeviceOutcome | 'ignored' | 'unknown' | 'proven', string>;
  kinds: Record<KnownKind, string>;
  noHistory: string;
  noFaults: string;
  /** No value. */
  none: string;
}

/** A word of a table, where the table has it. */
export function known(table: Readonly<Record<string, string>>, word: string): string | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}

/** Why something was refused; the agent's word is a kebab-case one. */
export function reasonInWords({ agentWords }: CommonWords, reason: string): string {
  const { reasons = {}, problems = {} } = agentWords ?? {};
  return known(reasons, reason) ?? known(problems, reason) ?? reason.replaceAll('-', ' ');
}
