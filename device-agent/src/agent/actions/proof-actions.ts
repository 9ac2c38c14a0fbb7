import { type Action, action } from '../../local/request-session';
import type { Clicks } from '../clicks';
import { answered } from '../guard-answer';
import { ClickRequest, ProofRequest, ProveRequest } from '../local-messages/proof';
import type { Proving } from '../proving';

export interface ProofActionParts {
  proving: Proving;
  clicks: Clicks;
}

/** Clicking relays for somebody who watches, and what was seen. */
export function proofActions({ proving, clicks }: ProofActionParts): [string, Action][] {
  return [
    ['proof', action(ProofRequest, async () => proving.view())],
    [
      'click',
      action(ClickRequest, async ({ numOutput, actor }) => {
        await answered(clicks.click(numOutput, actor));
        return {};
      }),
    ],
    ['prove', action(ProveRequest, (request) => answered(proving.prove(request)))],
  ];
}
