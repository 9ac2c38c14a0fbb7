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
export async function reconnect(id: string): Promise<void> {
  // Raspberry Pi OS has NetworkManager keep the Wi-Fi off until it is told a country. Once on, a connection comes up by itself.
  await tryNmcli('radio', 'wifi', 'on');
  await tryNmcli('--wait', '0', 'connection', 'up', id);
}

function tryNmcli(...args: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    execFile('nmcli', args, { timeout: NMCLI_MS }, () => resolve());
  });
}
