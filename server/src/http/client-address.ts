import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyaddr from 'proxy-addr';

/** The client's address, for limits and logs. */
export type AddressOf = (request: IncomingMessage) => string;

/** In 16-bit parts: one customer gets a whole /64, so it counts as one address. */
const IPV6_PREFIX_PARTS = 4;
/** Some proxies forward `1.2.3.4:5678`, `[2001:db8::1]:443` or `[2001:db8::1]`. */
const IPV4_WITH_PORT = /^([0-9.]+):[0-9]{1,5}$/;
const IPV6_IN_BRACKETS = /^\[([^\]]+)\](?::[0-9]{1,5})?$/;

/**
 * The client's address: the one that trusted proxies name (with or without a port), else the peer's. IPv6 is shortened to
 * its /64; a text that is no address becomes `unknown`. `trustedProxies`: addresses, networks, or names of ranges.
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

/** The machines that connect to the server, by their own address: clients and proxies. */
export interface Peers {
  /** True if its `X-Forwarded-For` is believed. */
  isProxy(address: string): boolean;
  /** In the form of AddressOf. */
  addressOf(address: string): string;
}

/** Peers, with these trusted proxies: addresses, networks, or names of ranges. */
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
