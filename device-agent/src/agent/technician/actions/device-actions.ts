import type { ConsoleLanguage } from '@relaygate/shared/device';
import type { Action } from '../../../ipc/request-session';
import { action } from '../../../ipc/schema-action';
import { type DeviceStatus, type IdentityReply, IdentityRequest, StatusRequest } from '../local-messages/device';

export interface DeviceActionDeps {
  status(language: ConsoleLanguage): DeviceStatus;
  identity(): Promise<IdentityReply>;
}

/** How the device is, and who it is. */
export function deviceActions({ status, identity }: DeviceActionDeps): [string, Action][] {
  return [
    ['status', action(StatusRequest, async ({ language = 'en' }) => status(language))],
    ['identity', action(IdentityRequest, () => identity())],
  ];
}
