import { action } from '../../../ipc/schema-action';
import { type WebOffReply, WebOffRequest, WebOnRequest, WebStatusRequest } from '../local-messages/web';
import type { ActionDeps } from './action-deps';
import { timelyAction } from './timely-action';

/** Switching the technician's page on and off. */
export function webActions({ web, files, clock }: ActionDeps) {
  return {
    'web-on': timelyAction(clock, WebOnRequest, async ({ forMs, hotspot, actor }, life) => {
      // Its history is wiped already, so nothing would record the page.
      files.refuseIfSealed('no-page');
      return web.on(forMs, hotspot, actor, life);
    }),
    'web-off': timelyAction(
      clock,
      WebOffRequest,
      async ({ actor }, life): Promise<WebOffReply> => ({ wasOn: await web.off(actor, life) }),
    ),
    'web-status': action(WebStatusRequest, () => web.status()),
  };
}
