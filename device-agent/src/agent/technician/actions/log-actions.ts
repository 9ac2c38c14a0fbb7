import type { Action } from '../../../ipc/request-session';
import { action } from '../../../ipc/schema-action';
import type { Locale } from '../../../locales/locale';
import { localeOf } from '../../../locales/locales';
import { sentenceOf } from '../../../locales/sentence';
import { type LoggedEvent, type LogReply, LogRequest } from '../local-messages/log';
import type { ActionDeps } from './action-deps';

/** The log; a reader that comes back gets what came meanwhile. */
export function logActions({ events }: ActionDeps): [string, Action][] {
  async function log({ after, limit, waitMs, language = 'en' }: LogRequest): Promise<LogReply> {
    const found = after ? await events.after(after.logId, after.seq, limit, waitMs) : events.newest(limit);
    return { ...found, events: found.events.map((event) => shown(event, localeOf(language))) };
  }
  return [['log', action(LogRequest, log)]];
}

/** In words of that language, where it has some. */
function shown({ code = '', values = {}, ...event }: LoggedEvent, { events, causeText }: Locale): LoggedEvent {
  const text = events && sentenceOf({ code, values }, events, causeText);
  return { ...event, text: text ?? event.text };
}
