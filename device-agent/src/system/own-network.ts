import { hostname, networkInterfaces } from 'node:os';

/** This machine in its networks. */
export const ownNetwork = {
  /** Without loopback, and without such as need the name of an interface beside them. */
  addresses: (): string[] =>
    Object.values(networkInterfaces())
      .flat()
      .filter((one) => one !== undefined && !one.internal && !(one.family === 'IPv6' && one.scopeid !== 0))
      .map((one) => one?.address ?? ''),
  hostName: hostname,
};
