import {
  type Clock,
  type ErrorCode,
  MAX_REFUSALS_LOGGED_PER_MINUTE,
  REFUSALS_LOGGED_PER_SOURCE,
} from '@relaygate/shared';
import type { Log, LogFields } from './log';
import { LogMinute } from './log-minute';

/**
 * Why a device link is refused. `not-proven`: unknown product, or wrong key, code or signature. `too-many-links`: of one
 * product. The other three refuse the upgrade, before the link opens.
 */
type LinkRefusal =
  | 'not-proven'
  | 'too-many-links'
  | 'link-origin'
  | 'link-subprotocol'
  | 'link-handshake'
  | 'links-full';
/**
 * Why a message between nodes is refused. `message-forged`: not sealed with this installation's key, or altered.
 * `command-late`: its time is over, or the clock here is not what its sender believes. `counts-late`: repeated, or not known to be recent.
 */
type MessageRefusal =
  | 'message-forged'
  | 'message-too-large'
  | 'message-unreadable'
  | 'command-repeated'
  | 'command-late'
  | 'node-busy'
  | 'counts-late';
export type RefusalCode = ErrorCode | LinkRefusal | MessageRefusal;

/** Refusals that can mean guessing, or a device in trouble. */
const WARNINGS: ReadonlySet<RefusalCode> = new Set([
  'client-key-not-found',
  'too-many-requests',
  'not-proven',
  'too-many-links',
  'message-forged',
  'command-repeated',
]);

/** Refusals of one code in this minute. */
interface Counts {
  lines: number;
  /** By address. Each has at least one line, so MAX_REFUSALS_LOGGED_PER_MINUTE bounds them. */
  sources: Map<string, { lines: number; more: number }>;
  /** From addresses without a line. */
  others: number;
}

/**
 * Logs each refused request or link: at most REFUSALS_LOGGED_PER_SOURCE lines a minute for a code and an address, and
 * MAX_REFUSALS_LOGGED_PER_MINUTE for a code. Further ones are counted, so that a flood fills neither the log nor the memory
 * (I15). At the end of the minute one line shows the count of each address, and one the count of all addresses without a line.
 */
export class RefusalLog {
  readonly #log: Log;
  readonly #what: 'request' | 'link' | 'message';
  readonly #counts = new Map<RefusalCode, Counts>();
  readonly #minute: LogMinute;

  constructor(log: Log, clock: Clock, what: 'request' | 'link' | 'message') {
    this.#log = log;
    this.#what = what;
    this.#minute = new LogMinute(clock, () => this.#summarise());
  }

  /** `details` is called only if a line is written; it must return no secret. */
  note(code: RefusalCode, address: string, details: () => LogFields = () => ({})): void {
    this.#minute.begin();
    const counts = this.#countsOf(code);
    const source = counts.sources.get(address);
    const isFull = counts.lines >= MAX_REFUSALS_LOGGED_PER_MINUTE;
    if (source && (isFull || source.lines >= REFUSALS_LOGGED_PER_SOURCE)) source.more += 1;
    else if (isFull) counts.others += 1;
    else {
      counts.lines += 1;
      counts.sources.set(address, { lines: (source?.lines ?? 0) + 1, more: 0 });
      this.#write(code, { code, address, ...details() }, `${this.#what} refused`);
    }
  }

  /** Logs the counts of this minute now. */
  stop(): void {
    this.#minute.stop();
  }

  #countsOf(code: RefusalCode): Counts {
    const known = this.#counts.get(code);
    if (known) return known;
    const counts = { lines: 0, sources: new Map(), others: 0 };
    this.#counts.set(code, counts);
    return counts;
  }

  #summarise(): void {
    for (const [code, { sources, others }] of this.#counts) {
      for (const [address, { more }] of sources)
        if (more > 0) this.#write(code, { code, address, more }, `more ${this.#what}s refused`);
      if (others > 0) this.#write(code, { code, more: others }, `${this.#what}s of further addresses refused`);
    }
    this.#counts.clear();
  }

  #write(code: RefusalCode, fields: LogFields, event: string): void {
    if (WARNINGS.has(code)) this.#log.warn(fields, event);
    else this.#log.info(fields, event);
  }
}
