import { type Clock, ERRORS, MAX_FAULT_KINDS_PER_EVENT, MAX_FAULTS_LOGGED_PER_MINUTE } from '@relaygate/shared';
import type { Log, LogFields } from './log';
import { LogMinute } from './log-minute';

/** How much is compared and logged of an error's message, or of a line of its stack. */
const MAX_CHARS = 200;
/** The kind of all errors beyond MAX_FAULT_KINDS_PER_EVENT. */
const OTHERS = 'others';

/** Lines of one event with one kind of error in this minute. */
interface Count {
  lines: number;
  more: number;
  writeMore(): void;
}

/**
 * A log whose faults are bounded (I15), because a failing database causes one with each request, link and report. Of the
 * warnings and errors with an `err`, the first MAX_FAULTS_LOGGED_PER_MINUTE of one event and kind of error are written, and
 * at the end of the minute the number of those that were left out, with the last one's message. All other lines are written.
 */
export class BoundedLog implements Log {
  readonly #log: Log;
  /** By event, which are few, and by kind. */
  readonly #counts = new Map<string, Map<string, Count>>();
  readonly #minute: LogMinute;

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#minute = new LogMinute(clock, () => this.#summarise());
  }

  debug(fields: LogFields, event: string): void {
    this.#log.debug(fields, event);
  }

  info(fields: LogFields, event: string): void {
    this.#log.info(fields, event);
  }

  warn(fields: LogFields, event: string): void {
    if (this.#isWithinBound('warn', fields, event)) this.#log.warn(fields, event);
  }

  error(fields: LogFields, event: string): void {
    if (this.#isWithinBound('error', fields, event)) this.#log.error(fields, event);
  }

  /** Writes the numbers of this minute now. */
  stop(): void {
    this.#minute.stop();
  }

  #isWithinBound(level: 'warn' | 'error', { err }: LogFields, event: string): boolean {
    if (err === undefined) return true;
    this.#minute.begin();
    const count = this.#countOf(event, kindOf(err));
    if (count.lines < MAX_FAULTS_LOGGED_PER_MINUTE) {
      count.lines += 1;
      return true;
    }
    count.more += 1;
    const last = { code: codeOf(err), lastMessage: textOf(err, 'message') };
    count.writeMore = () => this.#log[level]({ ...last, more: count.more }, `more lines: ${event}`);
    return false;
  }

  #countOf(event: string, kind: string): Count {
    const kinds = this.#counts.get(event) ?? new Map<string, Count>();
    this.#counts.set(event, kinds);
    const counted = kinds.has(kind) || kinds.size < MAX_FAULT_KINDS_PER_EVENT ? kind : OTHERS;
    const count = kinds.get(counted) ?? { lines: 0, more: 0, writeMore() {} };
    kinds.set(counted, count);
    return count;
  }

  #summarise(): void {
    for (const kinds of this.#counts.values()) for (const { writeMore } of kinds.values()) writeMore();
    this.#counts.clear();
  }
}

/**
 * Errors with the same cause have the same kind. A code of ours has several causes, and the message names the cause; the stack
 * often begins where an answer of the writer thread was read. Other errors differ by where they were thrown, because their
 * messages name values.
 */
function kindOf(err: unknown): string {
  const code = codeOf(err);
  const cause = Object.hasOwn(ERRORS, code) ? textOf(err, 'message') : firstFrame(err);
  return `${code} ${cause}`;
}

/** Errors of another realm are instances of another class, so only their form counts. */
function codeOf(err: unknown): string {
  return textOf(err, 'code') || textOf(err, 'name') || 'unknown';
}

function firstFrame(err: unknown): string {
  const frame = memberOf(err, 'stack')
    .split('\n')
    .find((line) => /^\s+at /.test(line));
  return (frame ?? '').slice(0, MAX_CHARS);
}

function textOf(err: unknown, member: 'code' | 'name' | 'message'): string {
  return memberOf(err, member).slice(0, MAX_CHARS);
}

/** Empty if there is none. */
function memberOf(err: unknown, member: string): string {
  if (typeof err !== 'object' || err === null) return '';
  const value: unknown = Reflect.get(err, member);
  return typeof value === 'string' ? value : '';
}
