import { MAX_REPLY_BYTES } from '../../../ipc/line-connection';
import { action } from '../../../ipc/schema-action';
import type { Locale } from '../../../locales/locale';
import { localeOf } from '../../../locales/locales';
import { sentenceOf } from '../../../locales/sentence';
import { type LoggedEvent, type LogReply, LogRequest } from '../local-messages/log';
import type { ActionDeps } from './action-deps';
import { lastThatFit } from './last-that-fit';

/** How many bytes the events of an answer may take, so that it fits into a line. */
const EVENTS_BYTES = MAX_REPLY_BYTES - 1_024;

/** The log; a reader that comes back gets what came meanwhile. */
export function logActions({ events }: ActionDeps) {
  async function log({ after, limit, waitMs, language = 'en' }: LogRequest): Promise<LogReply> {
    const found = after ? await events.after(after.logId, after.seq, limit, waitMs) : events.newest(limit);
    const all = found.events.map((event) => shown(event, localeOf(language)));
    // Without a gap behind `after`: the next request gets what follows.
    const fit = after ? lastThatFit(all.reverse(), EVENTS_BYTES).reverse() : lastThatFit(all, EVENTS_BYTES);
    return { ...found, events: fit };
  }
  return { log: action(LogRequest, log) };
}

/** The event in that language, if it has a sentence there. */
function shown({ code = '', values = {}, ...event }: LoggedEvent, { events, causeText }: Locale): LoggedEvent {
  const text = events && sentenceOf({ code, values }, events, causeText);
  return { ...event, text: text ?? event.text };
}
