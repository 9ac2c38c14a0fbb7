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
  return [plainAddress(ownAddress), 'localhost', own, `${own}.local`].includes(name);
}

/** Without what Node says of the way by which it came: "::ffff:192.0.2.1", "fe80::1%wlan0". */
function plainAddress(address: string): string {
  const [bare = ''] = address.toLowerCase().split('%', 1);
  return bare.replace(/^::ffff:(?=\d+\.)/, '');
}
