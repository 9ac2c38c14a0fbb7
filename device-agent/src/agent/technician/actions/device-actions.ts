import { action } from '../../../ipc/schema-action';
import { IdentityRequest, StatusRequest } from '../local-messages/device';
import type { ActionDeps } from './action-deps';

/** How the device is, and who it is. */
export function deviceActions({ status, identity }: ActionDeps) {
  return {
    status: action(StatusRequest, async ({ language = 'en' }) => status(language)),
    identity: action(IdentityRequest, () => identity()),
  };
}
