import { MAX_REPLY_BYTES } from '../../../ipc/line-connection';
import { action } from '../../../ipc/schema-action';
import { shownFaults } from '../../../locales/fault-text';
import { localeOf } from '../../../locales/locales';
import type { RequestLife } from '../../commands/late-request';
import { happened } from '../../history/happened';
import { type HistoryReply, HistoryRequest, type NewPinReply, NewPinRequest } from '../local-messages/history';
import type { ActionDeps } from './action-deps';
import { lastThatFit } from './last-that-fit';
import { timelyAction } from './timely-action';

/** The entries of an answer take at most this much, so that it fits into a line. */
const ENTRIES_BYTES = MAX_REPLY_BYTES / 2;

/** What people did here, and the PIN by which a console knows them. */
export function historyActions({ history, pin, events, clock }: ActionDeps) {
  async function read({ limit, beforeSeq, numOutput, language = 'en' }: HistoryRequest): Promise<HistoryReply> {
    const entries = history.newest(limit, beforeSeq ?? Number.POSITIVE_INFINITY, numOutput);
    return { entries: lastThatFit(entries, ENTRIES_BYTES), faults: shownFaults(history.faults, localeOf(language)) };
  }

  async function newPin({ actor }: { actor: string }, life: RequestLife): Promise<NewPinReply> {
    const made = await pin.renew(actor, history, life);
    events.report('settings', happened('new-pin', { actor }));
    return { pin: made };
  }

  return {
    history: action(HistoryRequest, read),
    'new-pin': timelyAction(clock, NewPinRequest, newPin),
  };
}
