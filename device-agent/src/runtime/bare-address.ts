/** The address without Node's notes on the way it came: "::ffff:192.0.2.1", "fe80::1%wlan0". */
export function bareAddress(address: string): string {
  const [bare = ''] = address.split('%', 1);
  return bare.replace(/^::ffff:(?=\d+\.)/i, '');
}
