import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import proxyaddr from 'proxy-addr';

/** Who is at the other end, for limits and logs. */
export type AddressOf = (request: IncomingMessage) => string;

/** IPv6 hands whole networks of this size to one customer, so they count as one. */
const IPV6_PREFIX_PARTS = 4;

/**
 * The address of the caller: the one that trusted proxies (addresses, networks, or names of ranges) tell, else the
 * peer's. IPv6 is given as its /64.
 */
export function clientAddresses(trustedProxies: string[]): AddressOf {
  const trust = proxyaddr.compile(trustedProxies);
  return (request) => {
    const address = proxyaddr(request, trust);
    return ipaddr.isValid(address) ? grouped(ipaddr.process(address)) : 'unknown';
  };
}

function grouped(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  const network = address.parts.slice(0, IPV6_PREFIX_PARTS).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
