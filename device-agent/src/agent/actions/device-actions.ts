import { type Action, action } from '../../local/request-session';
import { frenchLinkWords } from '../console/console-link-words';
import { type DeviceStatus, type IdentityReply, IdentityRequest, StatusRequest } from '../local-messages/device';

export interface DeviceActionParts {
  status(): DeviceStatus;
  identity(): Promise<IdentityReply>;
}

/** How the device is, and who it is. */
export function deviceActions({ status, identity }: DeviceActionParts): [string, Action][] {
  return [
    ['status', action(StatusRequest, async ({ language }) => (language === 'fr' ? inFrench(status()) : status()))],
    ['identity', action(IdentityRequest, () => identity())],
  ];
}

/** The page is small: what the console has French words for, it is told in French. */
function inFrench(status: DeviceStatus): DeviceStatus {
  const { link } = status;
  const words = link.cause === null ? null : frenchLinkWords(link.cause);
  return { ...status, link: { ...link, problem: words ?? link.problem } };
}
