import type { Clock } from '@relaygate/shared';
import type { Action } from '../../../ipc/request-session';
import { action } from '../../../ipc/schema-action';
import { answered } from '../../commands/guard-answer';
import type { Clicks } from '../../proof/clicks';
import type { Proving } from '../../proof/proving';
import { ClickRequest, ProofRequest, ProveRequest } from '../local-messages/proof';
import { timelyAction } from './timely-action';

export interface ProofActionDeps {
  proving: Proving;
  clicks: Clicks;
  clock: Clock;
}

/** Clicking relays for somebody who watches, and what was seen. */
export function proofActions({ proving, clicks, clock }: ProofActionDeps): [string, Action][] {
  return [
    ['proof', action(ProofRequest, async () => proving.view())],
    [
      'click',
      timelyAction(clock, ClickRequest, async ({ numOutput, actor }, life) => {
        await answered(clicks.click(numOutput, actor, life));
        return {};
      }),
    ],
    ['prove', timelyAction(clock, ProveRequest, (request, life) => answered(proving.prove(request, life)))],
  ];
}
