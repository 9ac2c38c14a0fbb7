import { action } from '../../../ipc/schema-action';
import { answered } from '../../commands/guard-answer';
import { ClickRequest, ProofRequest, ProveRequest } from '../local-messages/proof';
import type { ActionDeps } from './action-deps';
import { timelyAction } from './timely-action';

/** Clicking relays for somebody who watches, and what was seen. */
export function proofActions({ proving, clicks, clock }: ActionDeps) {
  return {
    proof: action(ProofRequest, async () => proving.view()),
    click: timelyAction(clock, ClickRequest, async ({ numOutput, actor }, life) => {
      await answered(clicks.click(numOutput, actor, life));
      return {};
    }),
    prove: timelyAction(clock, ProveRequest, (request, life) => answered(proving.prove(request, life))),
  };
}
