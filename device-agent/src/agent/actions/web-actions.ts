import { type Action, action } from '../../local/request-session';
import { type WebOffReply, WebOffRequest, WebOnRequest, WebStatusRequest } from '../local-messages/web';
import type { WebPage } from '../web/web-page';

export interface WebActionParts {
  web: Pick<WebPage, 'on' | 'off' | 'status'>;
}

/** Switching the technician's page on and off. */
export function webActions({ web }: WebActionParts): [string, Action][] {
  return [
    ['web-on', action(WebOnRequest, ({ forMs, hotspot, actor }) => web.on(forMs, hotspot, actor))],
    ['web-off', action(WebOffRequest, async ({ actor }): Promise<WebOffReply> => ({ wasOn: await web.off(actor) }))],
    ['web-status', action(WebStatusRequest, () => web.status())],
  ];
}
