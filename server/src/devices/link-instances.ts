import { KEPT_LINK_INSTANCES } from '@relaygate/shared';

export interface LinkInstances {
  /** Those that linked last, the newest at the end. */
  instances: string[];
  /** It linked before another one did, so both run: two devices hold one key. */
  isBack: boolean;
}

/**
 * The instances of a product after `instanceId` has linked. A restarted device has a new instance and its old one never
 * comes back, so that no restart, however soon, looks like a second device.
 */
export function withInstance(before: readonly string[], instanceId: string): LinkInstances {
  const isBack = before.includes(instanceId) && before.at(-1) !== instanceId;
  const others = before.filter((known) => known !== instanceId);
  return { instances: [...others, instanceId].slice(-KEPT_LINK_INSTANCES), isBack };
}
