import { isIPv4, isIPv6 } from 'node:net';

/** All eight groups of an IPv6 address that names no interface. */
export function groupsOf(address: string): string[] {
  const [head = '', tail] = address.toLowerCase().split('::', 2);
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: tail === undefined ? 0 : 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after];
}

/**
 * The address as packets and certificates have it; null: this is no address, or one that is mixed or names an interface.
 */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> | null {
  if (isIPv4(text)) return Uint8Array.from(text.split('.'), Number);
  if (!isIPv6(text) || /[.%]/.test(text)) return null;
  const groups = groupsOf(text).map((group) => Number.parseInt(group, 16));
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}
