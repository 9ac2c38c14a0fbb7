import type { ErrorCode } from '@relaygate/shared';
import type { CommandAccess } from './command-store';

/** Why this client may not drive this output, in the order of design section 5; undefined when it may. I7, I13. */
export function refusalOf(access: CommandAccess | undefined): ErrorCode | undefined {
  if (!access) return 'product-not-found';
  if (!access.clientActive) return 'bad-token';
  if (!access.associated || !access.productActivated) return 'user-not-allowed';
  if (access.outputActivated === undefined) return 'invalid-params';
  return access.outputActivated ? undefined : 'user-not-allowed';
}
