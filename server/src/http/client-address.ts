import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyaddr from 'proxy-addr';

/** Who is at the other end, for limits and logs. */
export type AddressOf = (request: IncomingMessage) => string;

/** IPv6 hands whole networks of this size to one customer, so they count as one. */
const IPV6_PREFIX_PARTS = 4;
/** As some proxies forward an address: `1.2.3.4:5678`, `[2001:db8::1]:443`, `[2001:db8::1]`. */
const IPV4_WITH_PORT = /^([0-9.]+):[0-9]{1,5}$/;
const IPV6_IN_BRACKETS = /^\[([^\]]+)\](?::[0-9]{1,5})?$/;

/**
 * The address of the caller: the one that trusted proxies (addresses, networks, or names of ranges) tell, with or without a
 * port, else the peer's. IPv6 is given as its /64; what is no address as `unknown`.
 */
export function clientAddresses(trustedProxies: string[]): AddressOf {
  const isTrusted = proxyaddr.compile(trustedProxies);
  return (request) => {
    const address = withoutPort(proxyaddr(request, (hop, index) => isTrusted(withoutPort(hop), index)));
    return isIP(address) === 0 ? 'unknown' : grouped(ipaddr.process(address));
  };
}

function withoutPort(text: string): string {
  return (IPV4_WITH_PORT.exec(text) ?? IPV6_IN_BRACKETS.exec(text))?.[1] ?? text;
}

/** The other ends of connections, by their own address. */
export interface Peers {
  /** One whose word on its callers' addresses is believed. */
  isProxy(address: string): boolean;
  /** As AddressOf gives it. */
  addressOf(address: string): string;
}

export function peersBeside(trustedProxies: string[]): Peers {
  const trust = proxyaddr.compile(trustedProxies);
  return {
    isProxy: (address) => trust(address, 0),
    addressOf: (address) => (ipaddr.isValid(address) ? grouped(ipaddr.process(address)) : 'unknown'),
  };
}

function grouped(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  const network = address.parts.slice(0, IPV6_PREFIX_PARTS).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
