import { action } from '../../../ipc/schema-action';
import { boardText } from '../../../provisioning/boards/board-facts';
import type { RequestLife } from '../../commands/late-request';
import { happened } from '../../history/happened';
import { type BoardReply, BoardRequest, type SiteProfileReply, SiteProfileRequest } from '../local-messages/board';
import type { ActionDeps } from './action-deps';
import { timelyAction } from './timely-action';

/** Choosing a relay board, for the next start. */
export function boardActions({ settings, events, clock, siteProfile }: ActionDeps) {
  async function board({ actor, notAfterMs: _, ...change }: BoardRequest, life: RequestLife): Promise<BoardReply> {
    const changed = await settings.changeBoard(change, actor, life);
    const { before, after, mustRestart } = changed;
    const isOther = boardText(before) !== boardText(after);
    if (mustRestart || isOther)
      events.report('settings', happened('board-changed', { before, after, actor, mustRestart }));
    return changed;
  }
  return {
    board: timelyAction(clock, BoardRequest, board),
    'site-profile': action(
      SiteProfileRequest,
      async (): Promise<SiteProfileReply> => ({ profile: await siteProfile() }),
    ),
  };
}
