/** agent.sock: what has happened. */
import { type Static, Type } from '@relaygate/shared';

const MAX_LIMIT = 500;
/** Less than relayctl waits for an answer. */
const MAX_LOG_WAIT_MS = 10_000;

export const LogRequest = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: MAX_LIMIT }),
  /** Where the last answer ended; without it: the newest ones. */
  after: Type.Optional(Type.Object({ logId: Type.String({ maxLength: 100 }), seq: Type.Integer({ minimum: 0 }) })),
  /** With `after`: how long to wait where nothing is new. */
  waitMs: Type.Integer({ minimum: 0, maximum: MAX_LOG_WAIT_MS }),
});
export type LogRequest = Static<typeof LogRequest>;

export type EventKind = 'agent' | 'command' | 'policy' | 'link' | 'guard' | 'fault' | 'settings' | 'lock' | 'web';

export interface LoggedEvent {
  /** From 1, without gaps. */
  seq: number;
  /** ISO 8601 in UTC; null: the wall clock was not set. */
  at: string | null;
  sinceBootMs: number;
  kind: EventKind;
  text: string;
}

export interface LogReply {
  /** Another one after a restart of the agent, whose events begin anew. */
  logId: string;
  events: LoggedEvent[];
}
