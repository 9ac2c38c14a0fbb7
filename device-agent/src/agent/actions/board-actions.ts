import type { Clock } from '@relaygate/shared';
import { boardWords } from '../../boards/board-words';
import type { Action } from '../../local/request-session';
import type { EventLog } from '../event-log';
import type { RequestLife } from '../late-request';
import { type BoardReply, BoardRequest } from '../local-messages/board';
import type { SettingsKeeper } from '../settings-keeper';
import { timelyAction } from './timely-action';

export interface BoardActionParts {
  settings: SettingsKeeper;
  events: EventLog;
  clock: Clock;
}

/** Choosing a relay board, for the next start. */
export function boardActions({ settings, events, clock }: BoardActionParts): [string, Action][] {
  async function board({ actor, notAfterMs: _, ...change }: BoardRequest, life: RequestLife): Promise<BoardReply> {
    const { before, after, outputs, mustRestart } = await settings.changeBoard(change, actor, life);
    const words = `board ${boardWords(before)} -> ${boardWords(after)} by ${actor}, from the next start on`;
    if (mustRestart) events.tell('settings', words);
    return { before, after, outputs, mustRestart };
  }
  return [['board', timelyAction(clock, BoardRequest, board)]];
}
