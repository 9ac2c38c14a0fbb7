/** agent.sock: what has happened. */
import { type Static, Type } from '@relaygate/shared';
import { ConsoleLanguage } from '@relaygate/shared/device';

const MAX_LIMIT = 500;
/** Less than relayctl waits for an answer. */
const MAX_LOG_WAIT_MS = 10_000;

export const LogRequest = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: MAX_LIMIT }),
  /** Where the last answer ended; absent: the newest events. */
  after: Type.Optional(Type.Object({ logId: Type.String({ maxLength: 100 }), seq: Type.Integer({ minimum: 0 }) })),
  /** With `after`: how long to wait for the next event. */
  waitMs: Type.Integer({ minimum: 0, maximum: MAX_LOG_WAIT_MS }),
  /** The language of the texts; English if absent. */
  language: Type.Optional(ConsoleLanguage),
});
export type LogRequest = Static<typeof LogRequest>;

export type EventKind = 'agent' | 'command' | 'policy' | 'link' | 'guard' | 'fault' | 'settings' | 'lock' | 'web';

export interface EventTime {
  /** ISO 8601 in UTC; null: the wall clock was not set. */
  at: string | null;
  sinceBootMs: number;
}

export interface LoggedEvent extends EventTime {
  /** Counts up from 1; a restart of the agent skips numbers. */
  seq: number;
  kind: EventKind;
  text: string;
  /** Of kind `command`: the commands whose outcome it shows. */
  commandIds?: string[];
  /** The same for readers of each language, as the log keeps it; not in a reply. */
  code?: string;
  values?: object;
}

export interface LogReply {
  /** Differs after a reboot, whose events begin anew. */
  logId: string;
  /** Since when the log is whole; `seq`: of its oldest event. */
  begins: EventTime & { seq: number };
  events: LoggedEvent[];
}
