import { hostname, type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { orElse } from '../runtime/or-else';

/** This machine in its networks. */
export const ownNetwork = {
  /** Without loopback, and without addresses that need the name of an interface; none if they cannot be read. */
  addresses: (): string[] =>
    interfaces()
      .filter((one) => !one.internal && !(one.family === 'IPv6' && one.scopeid !== 0))
      .map(({ address }) => address),
  hostName: hostname,
};

/** Empty in a sandbox without netlink sockets. */
function interfaces(): NetworkInterfaceInfo[] {
  return orElse(() => Object.values(networkInterfaces()).flatMap((ones) => ones ?? []), []);
}
