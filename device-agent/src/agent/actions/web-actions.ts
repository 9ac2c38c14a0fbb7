import type { Clock } from '@relaygate/shared';
import { type Action, action } from '../../local/request-session';
import { type WebOffReply, WebOffRequest, WebOnRequest, WebStatusRequest } from '../local-messages/web';
import type { WebPage } from '../web/web-page';
import { timelyAction } from './timely-action';

export interface WebActionDeps {
  web: Pick<WebPage, 'on' | 'off' | 'status'>;
  clock: Clock;
}

/** Switching the technician's page on and off. */
export function webActions({ web, clock }: WebActionDeps): [string, Action][] {
  return [
    [
      'web-on',
      timelyAction(clock, WebOnRequest, ({ forMs, hotspot, actor }, life) => web.on(forMs, hotspot, actor, life)),
    ],
    [
      'web-off',
      timelyAction(
        clock,
        WebOffRequest,
        async ({ actor }, life): Promise<WebOffReply> => ({ wasOn: await web.off(actor, life) }),
      ),
    ],
    ['web-status', action(WebStatusRequest, () => web.status())],
  ];
}
