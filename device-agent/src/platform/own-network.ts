import { hostname, type NetworkInterfaceInfo, networkInterfaces } from 'node:os';

/** This machine in its networks. */
export const ownNetwork = {
  /** Without loopback, and without such as need the name of an interface beside them; none where they cannot be read. */
  addresses: (): string[] =>
    interfaces()
      .filter((one) => !one.internal && !(one.family === 'IPv6' && one.scopeid !== 0))
      .map(({ address }) => address),
  hostName: hostname,
};

/** A sandbox without netlink sockets keeps them from this process. */
function interfaces(): NetworkInterfaceInfo[] {
  try {
    return Object.values(networkInterfaces()).flatMap((ones) => ones ?? []);
  } catch {
    return [];
  }
}
