import { bareAddress } from '../../../runtime/bare-address';

/**
 * Whether a page of this very device has sent a request. The Host header is not asked: it says what the other side likes.
 * `ownAddress`: the address of this device to which it was sent.
 */
export function isOwnOrigin(origin: string, ownAddress: string, hostName: string): boolean {
  let url: URL;
  try {
    url = new URL(origin);
  } catch {
    return false;
  }
  if (url.protocol !== 'https:') return false;
  const name = url.hostname.toLowerCase().replaceAll(/^\[|\]$/g, '');
  const own = hostName.toLowerCase();
  return [bareAddress(ownAddress).toLowerCase(), 'localhost', own, `${own}.local`].includes(name);
}
