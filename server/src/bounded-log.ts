import { type Cancel, type Clock, MAX_FAULTS_LOGGED_PER_MINUTE } from '@relaygate/shared';
import type { Log, LogFields } from './log';

const WINDOW_MS = 60_000;

/** Lines of one event with one error code in this minute. */
interface Count {
  lines: number;
  more: number;
  writeMore(more: number): void;
}

/**
 * A log whose faults are bounded (I15), because a failing database causes one with each request, link and report. Of the
 * warnings and errors with an `err`, the first MAX_FAULTS_LOGGED_PER_MINUTE of one event and error code are written, and
 * at the end of the minute the number of those that were left out. All other lines are written.
 */
export class BoundedLog implements Log {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #counts = new Map<string, Count>();
  #cancelSummary: Cancel | undefined;

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
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
    this.#cancelSummary?.();
    this.#summarise();
  }

  #isWithinBound(level: 'warn' | 'error', { err }: LogFields, event: string): boolean {
    if (err === undefined) return true;
    this.#cancelSummary ??= this.#clock.after(WINDOW_MS, () => this.#summarise());
    const code = codeOf(err);
    const key = `${event} ${code}`;
    const writeMore = (more: number): void => this.#log[level]({ code, more }, `more lines: ${event}`);
    const count = this.#counts.get(key) ?? { lines: 0, more: 0, writeMore };
    this.#counts.set(key, count);
    const isWithin = count.lines < MAX_FAULTS_LOGGED_PER_MINUTE;
    if (isWithin) count.lines += 1;
    else count.more += 1;
    return isWithin;
  }

  #summarise(): void {
    this.#cancelSummary = undefined;
    for (const { more, writeMore } of this.#counts.values()) if (more > 0) writeMore(more);
    this.#counts.clear();
  }
}

/** Errors of another realm are instances of another class, so only their form counts. */
function codeOf(err: unknown): string {
  if (typeof err !== 'object' || err === null) return 'unknown';
  if ('code' in err && typeof err.code === 'string') return err.code;
  return 'name' in err && typeof err.name === 'string' ? err.name : 'unknown';
}
