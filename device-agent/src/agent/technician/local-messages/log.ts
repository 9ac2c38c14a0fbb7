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

const TIME = {
  /** ISO 8601 in UTC; null: the wall clock was not set. */
  at: Type.Union([Type.String(), Type.Null()]),
  sinceBootMs: Type.Number(),
};
export const EventTime = Type.Object(TIME);
export type EventTime = Static<typeof EventTime>;

/** As the log keeps it. */
export const LoggedEvent = Type.Object({
  /** Counts up from 1; a restart of the agent skips numbers. */
  seq: Type.Integer({ minimum: 1 }),
  ...TIME,
  /** An EventKind; the log of an agent of another version may have others. */
  kind: Type.String(),
  text: Type.String(),
  /** Of kind `command`: the commands whose outcome it shows. */
  commandIds: Type.Optional(Type.Array(Type.String())),
  /** The same for readers of each language, as the log keeps it; not in a reply. */
  code: Type.Optional(Type.String()),
  values: Type.Optional(Type.Object({})),
});
export type LoggedEvent = Static<typeof LoggedEvent>;

export interface LogReply {
  /** Differs after a reboot, whose events begin anew. */
  logId: string;
  /** Since when the log is whole; `seq`: of its oldest event. */
  begins: EventTime & { seq: number };
  events: LoggedEvent[];
}
