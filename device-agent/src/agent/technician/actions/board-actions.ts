import type { Clock } from '@relaygate/shared';
import type { BoardProfile } from '@relaygate/shared/device';
import type { Action } from '../../../ipc/request-session';
import { action } from '../../../ipc/schema-action';
import { boardFacts } from '../../../provisioning/boards/board-facts';
import type { RequestLife } from '../../commands/late-request';
import type { EventLog } from '../../history/event-log';
import type { SettingsKeeper } from '../../settings/settings-keeper';
import { type BoardReply, BoardRequest, type SiteProfileReply, SiteProfileRequest } from '../local-messages/board';
import { timelyAction } from './timely-action';

export interface BoardActionDeps {
  settings: SettingsKeeper;
  events: EventLog;
  clock: Clock;
  /** The profile that came with the card; null: none did. */
  siteProfile(): Promise<BoardProfile | null>;
}

/** Choosing a relay board, for the next start. */
export function boardActions({ settings, events, clock, siteProfile }: BoardActionDeps): [string, Action][] {
  async function board({ actor, notAfterMs: _, ...change }: BoardRequest, life: RequestLife): Promise<BoardReply> {
    const { before, after, outputs, mustRestart } = await settings.changeBoard(change, actor, life);
    const words = `board ${boardFacts(before).words} -> ${boardFacts(after).words} by ${actor}, from the next start on`;
    if (mustRestart) events.report('settings', words);
    return { before, after, outputs, mustRestart };
  }
  return [
    ['board', timelyAction(clock, BoardRequest, board)],
    [
      'site-profile',
      action(SiteProfileRequest, async (): Promise<SiteProfileReply> => ({ profile: await siteProfile() })),
    ],
  ];
}
