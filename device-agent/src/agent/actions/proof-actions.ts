import type { Clock } from '@relaygate/shared';
import { type Action, action } from '../../local/request-session';
import type { Clicks } from '../clicks';
import { answered } from '../guard-answer';
import { lateProblem } from '../late-request';
import { ClickRequest, ProofRequest, ProveRequest } from '../local-messages/proof';
import type { Proving } from '../proving';

export interface ProofActionParts {
  proving: Proving;
  clicks: Clicks;
  clock: Clock;
}

/** Clicking relays for somebody who watches, and what was seen. */
export function proofActions({ proving, clicks, clock }: ProofActionParts): [string, Action][] {
  return [
    ['proof', action(ProofRequest, async () => proving.view())],
    [
      'click',
      action(ClickRequest, async ({ numOutput, notAfterMs, actor }) => {
        const late = lateProblem(notAfterMs, clock.nowMs());
        if (late) throw late;
        await answered(clicks.click(numOutput, actor));
        return {};
      }),
    ],
    ['prove', action(ProveRequest, (request) => answered(proving.prove(request)))],
  ];
}
