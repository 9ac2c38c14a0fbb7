import type { Action } from '../../../ipc/request-session';
import { action } from '../../../ipc/schema-action';
import { LogRequest } from '../local-messages/log';
import type { ActionDeps } from './action-deps';

/** What has happened; a reader that comes back hears what came meanwhile. */
export function logActions({ events }: ActionDeps): [string, Action][] {
  const log = async ({ after, limit, waitMs }: LogRequest) =>
    after ? events.after(after.logId, after.seq, limit, waitMs) : events.newest(limit);
  return [['log', action(LogRequest, log)]];
}
