/** agent.sock: what has happened. */
import { type Static, Type } from '@relaygate/shared';
import { ConsoleLanguage } from '@relaygate/shared/device';

const MAX_LIMIT = 500;
/** Less than relayctl waits for an answer. */
const MAX_LOG_WAIT_MS = 10_000;

export const LogRequest = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: MAX_LIMIT }),
  /** Where the last answer ended; without it: the newest ones. */
  after: Type.Optional(Type.Object({ logId: Type.String({ maxLength: 100 }), seq: Type.Integer({ minimum: 0 }) })),
  /** With `after`: how long to wait where nothing is new. */
  waitMs: Type.Integer({ minimum: 0, maximum: MAX_LOG_WAIT_MS }),
  /** Of the texts; English without. */
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
  /** Counts up from 1; numbers are missing where the agent was started anew. */
  seq: number;
  kind: EventKind;
  text: string;
  /** Of `command`: of these it is the last word. */
  commandIds?: string[];
  /** For readers of each language, as it is kept; not in a reply. */
  code?: string;
  values?: object;
}

export interface LogReply {
  /** Another one after a reboot, whose events begin anew. */
  logId: string;
  /** What was before is not in it; `seq`: of the oldest event. */
  begins: EventTime & { seq: number };
  events: LoggedEvent[];
}
