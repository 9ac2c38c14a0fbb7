import { boardWords } from '../../boards/board-words';
import { type Action, action } from '../../local/request-session';
import type { EventLog } from '../event-log';
import { type BoardReply, BoardRequest } from '../local-messages/board';
import type { SettingsKeeper } from '../settings-keeper';

export interface BoardActionParts {
  settings: SettingsKeeper;
  events: EventLog;
}

/** Choosing a relay board, for the next start. */
export function boardActions({ settings, events }: BoardActionParts): [string, Action][] {
  async function board({ actor, ...change }: BoardRequest): Promise<BoardReply> {
    const { before, after, outputs, mustRestart } = await settings.changeBoard(change, actor);
    const words = `board ${boardWords(before)} -> ${boardWords(after)} by ${actor}, from the next start on`;
    if (mustRestart) events.tell('settings', words);
    return { before, after, outputs, mustRestart };
  }
  return [['board', action(BoardRequest, board)]];
}
