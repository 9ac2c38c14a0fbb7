import { bareAddress } from '../../../runtime/bare-address';
import { orElse } from '../../../runtime/or-else';

/**
 * Whether a page of this device has sent a request. The Host header does not count, because the other side chooses it.
 * `ownAddress`: the address of this device to which the request was sent.
 */
export function isOwnOrigin(origin: string, ownAddress: string, hostName: string): boolean {
  const url = orElse(() => new URL(origin), null);
  if (url?.protocol !== 'https:') return false;
  const name = url.hostname.toLowerCase().replaceAll(/^\[|\]$/g, '');
  const own = hostName.toLowerCase();
  return [bareAddress(ownAddress).toLowerCase(), 'localhost', own, `${own}.local`].includes(name);
}
