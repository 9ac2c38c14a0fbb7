import type { Action } from '../../../ipc/request-session';
import { action } from '../../../ipc/schema-action';
import type { EventLog } from '../../history/event-log';
import { LogRequest } from '../local-messages/log';

export interface LogActionDeps {
  events: EventLog;
}

/** What has happened; a reader that comes back hears what came meanwhile. */
export function logActions({ events }: LogActionDeps): [string, Action][] {
  const log = async ({ after, limit, waitMs }: LogRequest) =>
    after ? events.after(after.logId, after.seq, limit, waitMs) : events.newest(limit);
  return [['log', action(LogRequest, log)]];
}
