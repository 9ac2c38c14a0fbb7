import type { Clock } from '@relaygate/shared';
import { type Action, action } from '../../local/request-session';
import type { Clicks } from '../clicks';
import type { EventLog } from '../event-log';
import { answered } from '../guard-answer';
import { lateProblem } from '../late-request';
import { ClickRequest, ProofRequest, ProveRequest } from '../local-messages/proof';
import type { Proving } from '../proving';

export interface ProofActionParts {
  proving: Proving;
  clicks: Clicks;
  events: EventLog;
  clock: Clock;
}

/** Clicking relays for somebody who watches, and what was seen. */
export function proofActions({ proving, clicks, events, clock }: ProofActionParts): [string, Action][] {
  return [
    ['proof', action(ProofRequest, async () => proving.view())],
    [
      'click',
      action(ClickRequest, async ({ numOutput, notAfterMs, actor }) => {
        const late = lateProblem(notAfterMs, clock.nowMs());
        if (late) throw late;
        events.tell('command', `output ${numOutput} clicks for ${actor}`);
        await answered(clicks.click(numOutput, actor));
        return {};
      }),
    ],
    ['prove', action(ProveRequest, (request) => answered(proving.prove(request)))],
  ];
}
