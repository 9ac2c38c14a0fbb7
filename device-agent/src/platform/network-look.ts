/** How this machine's network is. */
import { execFile } from 'node:child_process';
import { networkInterfaces } from 'node:os';

const NMCLI_MS = 5_000;
const NMCLI = ['-t', '-f', 'GENERAL.TYPE,GENERAL.STATE,GENERAL.REASON', 'device', 'show'];

/** Whether some interface has an address that reaches beyond this machine and its own cable. */
export function hasAddress(): boolean {
  return Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ internal, address }) => !internal && !/^(169\.254\.|fe80:)/i.test(address)),
  );
}

/** What NetworkManager says of the devices; empty if there is none. */
export function askNetworkManager(): Promise<string> {
  return new Promise((resolve) => {
    // Only numbers are read, and an English word before them at most.
    const options = { timeout: NMCLI_MS, env: { ...process.env, LC_ALL: 'C' } };
    execFile('nmcli', NMCLI, options, (error, stdout) => resolve(error ? '' : stdout));
  });
}

/** Has NetworkManager try a connection again, without waiting for it. Never rejects: it is tried again later. */
export function reconnect(id: string): Promise<void> {
  return new Promise((resolve) => {
    execFile('nmcli', ['--wait', '0', 'connection', 'up', id], { timeout: NMCLI_MS }, () => resolve());
  });
}
