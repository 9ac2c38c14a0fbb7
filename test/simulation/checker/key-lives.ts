import { KEY_ANEW_MS } from '../../support/time/promised-times';
import type { Command, Facts } from './facts';
import type { Violation } from './violation';

/** SQLite's clock has whole milliseconds. */
const WHOLE_MS = 1;
/** Reasons of a refusal after which an output may have moved, or after which somebody has decided against it. */
const MAY_HAVE_MOVED: ReadonlySet<string> = new Set([
  ...(['board-failed', 'interlock-broken', 'overtaken', 'stopped', 'policy-off', 'toggle-already-set'] as const),
]);

/**
 * What a client's key stood for: each command but the last was to be replaced. No simulation lasts the 24 h of true time after which a
 * key may stand for nothing, whatever its wall clock says.
 */
export interface KeyLife {
  clientId: string;
  key: string;
  /** On the server's wall clock. */
  sinceMs: number;
  commands: Command[];
}

export function keyOf({ record }: Command): string | undefined {
  return record.idempotency?.key;
}

/** The server's wall clock, but for when it began. */
function wallMs({ history }: Pick<Facts, 'history'>, atMs: number): number {
  return atMs + (history.wallJumps.findLast((jump) => jump.atMs <= atMs)?.jumpedMs ?? 0);
}

/** In the order in which they began; those of commands that were written down. */
export function keyLivesOf(facts: Facts): KeyLife[] {
  const lives: KeyLife[] = [];
  const recorded = [...facts.commands.values()].filter(({ recordedMs }) => recordedMs !== null);
  for (const command of recorded.toSorted((one, other) => (one.recordedMs ?? 0) - (other.recordedMs ?? 0))) {
    const key = keyOf(command);
    const { clientId } = command.record;
    if (key === undefined) continue;
    const life = lives.find((one) => one.clientId === clientId && one.key === key);
    if (life) life.commands.push(command);
    else lives.push({ clientId, key, sinceMs: wallMs(facts, command.recordedMs ?? 0), commands: [command] });
  }
  return lives;
}

/** At most one of its commands moves something, and one that may have is never followed by another. */
export function checkKeyLife(facts: Facts, { key, sinceMs, commands }: KeyLife): Violation[] {
  const found: Violation[] = [];
  const say = (atMs: number, sentence: string): void => void found.push({ invariant: 'key', atMs, sentence });
  for (const [n, { record, recordedMs }] of commands.entries()) {
    const before = commands[n - 1];
    if (!before || recordedMs === null) continue;
    const { commandId } = record;
    const what = `${commandId} ran anew for ${key} of ${record.clientId}`;
    const ageMs = wallMs(facts, recordedMs) - sinceMs;
    if (ageMs < -WHOLE_MS || ageMs > KEY_ANEW_MS + WHOLE_MS)
      say(recordedMs, `${what}, ${ageMs.toFixed(0)} ms after the key came first`);
    const doubt = doubtOf(facts, before, commandId);
    if (doubt) say(recordedMs, `${what}, and ${before.record.commandId} before it ${doubt}`);
  }
  const moved = commands.filter((command) => hasMoved(facts, command));
  const [, second] = moved;
  if (second) say(second.takenMs, `${moved.length} commands moved something for ${key} of ${second.record.clientId}`);
  return found;
}

/** By the board, or the guard's word. */
function hasMoved({ history }: Facts, { record: { commandId }, edges }: Command): boolean {
  const worked = history.verdicts.some((said) => said.commandId === commandId && WORKED.has(said.outcome));
  return worked || edges.length > 0;
}

const WORKED: ReadonlySet<string> = new Set(['executed', 'already-set', 'unproven']);

/** Why it may have moved something, by what the database had of it when the next one was written down; null: it has not. */
function doubtOf(facts: Facts, { record: before }: Command, nextId: string): string | null {
  const { outcome, reason } = outcomeBefore(facts, before, nextId);
  if (outcome === 'expired' || (outcome === 'refused' && !MAY_HAVE_MOVED.has(reason ?? ''))) return null;
  return `was ${outcome} (${reason})`;
}

function outcomeBefore(
  facts: Facts,
  { commandId, outcome, reason }: Command['record'],
  nextId: string,
): { outcome: string; reason: string | null } {
  // A start of the server may have made it unknown.
  let last = { outcome: outcome === 'pending' ? 'unknown' : String(outcome), reason };
  for (const { name, args, result } of facts.stored('recordCommand', 'recordOutcome')) {
    const [written] = args as [{ commandId: string; outcome: string; reason: string | null }];
    if (name === 'recordCommand' && written.commandId === nextId) break;
    if (name === 'recordOutcome' && written.commandId === commandId && result === true) last = written;
  }
  return last;
}
