import type { Action } from '../../../ipc/request-session';
import { action } from '../../../ipc/schema-action';
import type { KeptEvent } from '../../history/event-file';
import { type LoggedEvent, type LogReply, LogRequest } from '../local-messages/log';
import type { ActionDeps } from './action-deps';

/** What has happened; a reader that comes back hears what came meanwhile. */
export function logActions({ events }: ActionDeps): [string, Action][] {
  async function log({ after, limit, waitMs }: LogRequest): Promise<LogReply> {
    const found = after ? await events.after(after.logId, after.seq, limit, waitMs) : events.newest(limit);
    return { ...found, events: found.events.map(shown) };
  }
  return [['log', action(LogRequest, log)]];
}

function shown({ code: _, values: __, ...event }: KeptEvent): LoggedEvent {
  return event;
}
