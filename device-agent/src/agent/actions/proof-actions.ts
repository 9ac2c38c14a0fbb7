import { type Action, action } from '../../local/request-session';
import type { Log } from '../../program/log';
import type { Clicks } from '../clicks';
import type { EventLog } from '../event-log';
import { answered } from '../guard-answer';
import { ClickRequest, ProofRequest, ProveRequest } from '../local-messages/proof';
import type { Proving } from '../proving';

export interface ProofActionParts {
  proving: Proving;
  clicks: Clicks;
  events: EventLog;
  log: Log;
}

/** Clicking relays for somebody who watches, and what was seen. */
export function proofActions({ proving, clicks, events, log }: ProofActionParts): [string, Action][] {
  return [
    ['proof', action(ProofRequest, async () => proving.view())],
    [
      'click',
      action(ClickRequest, async ({ numOutput, actor }) => {
        const text = `output ${numOutput} clicks for ${actor}`;
        events.add('command', text);
        log.info(text);
        await answered(clicks.click(numOutput, actor));
        return {};
      }),
    ],
    ['prove', action(ProveRequest, (request) => answered(proving.prove(request)))],
  ];
}
