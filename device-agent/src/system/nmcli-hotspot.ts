import { execFile } from 'node:child_process';
import { RelaygateError } from '@relaygate/shared';
import { oneLine } from '../program/one-line';
import { printable } from '../program/printable';
import { codeOf } from '../program/problem';

/** Of the connection that is the page's, and of no other. */
const CONNECTION = 'relaygate-page';
const PASSPHRASE = '802-11-wireless-security.psk';
/** nm-settings(5): WPA2 on the band that every phone has, with addresses for those who join; never begun by itself. */
const ACCESS_POINT: readonly string[] = [
  ...['connection.autoconnect', 'no', '802-11-wireless.mode', 'ap', '802-11-wireless.band', 'bg'],
  ...['802-11-wireless-security.key-mgmt', 'wpa-psk', '802-11-wireless-security.proto', 'rsn'],
  ...['802-11-wireless-security.pairwise', 'ccmp', '802-11-wireless-security.group', 'ccmp'],
  ...['ipv4.method', 'shared', 'ipv6.method', 'disabled'],
];
/** A Wi-Fi takes some seconds to come up. */
const WAIT_S = 8;
const LIMIT_MS = 10_000;
/** All steps of a begin; relayctl waits for 15 s in all. */
const BEGIN_MS = 12_000;
const MAX_BYTES = 64 * 1024;
const MAX_REASON_CHARS = 200;
/** nmcli(1), "exit status": connection, device or access point does not exist. */
const NOT_THERE = 10;
/** Without a NetworkManager there is no Wi-Fi of ours either. */
const GONE: readonly unknown[] = [NOT_THERE, 'ENOENT'];

/** The device's own Wi-Fi by NetworkManager. */
export const nmcliHotspot = {
  async begin(ssid: string, passphrase: string, patienceMs = BEGIN_MS): Promise<void> {
    const untilMs = performance.now() + patienceMs;
    const step = (...args: string[]): Promise<string> => nmcli(args, untilMs - performance.now());
    const device = wifiIn(await step('--terse', '--fields', 'DEVICE,TYPE', 'device'));
    if (device === null) throw new RelaygateError('refused', 'This device has no Wi-Fi that NetworkManager knows.');
    await end(untilMs - performance.now());
    // In NetworkManager's memory only: no passphrase on the card, and nothing that a power cut leaves behind.
    const profile = ['save', 'no', 'type', 'wifi', 'ifname', device, 'con-name', CONNECTION, 'ssid', ssid];
    await step('connection', 'add', ...profile, PASSPHRASE, passphrase, ...ACCESS_POINT);
    await step('--wait', String(WAIT_S), 'connection', 'up', CONNECTION);
  },

  end: (): Promise<void> => end(LIMIT_MS),
};

async function end(leftMs: number): Promise<void> {
  try {
    await nmcli(['connection', 'delete', CONNECTION], leftMs);
  } catch (error) {
    const cause = error instanceof Error ? error.cause : null;
    if (typeof cause === 'object' && cause && 'code' in cause && GONE.includes(cause.code)) return;
    throw error;
  }
}

/** The first one; null: there is none. */
function wifiIn(devices: string): string | null {
  const found = devices.split('\n').find((line) => line.endsWith(':wifi'));
  // In nmcli's terse output a colon of a name has a backslash before it.
  return found?.replace(/:wifi$/, '').replaceAll('\\', '') ?? null;
}

/** Resolves with what it printed. Rejects with RelaygateError, which never holds the arguments: one is a passphrase. */
function nmcli(args: readonly string[], leftMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    // 0 would be no limit.
    const timeout = Math.max(1, Math.min(LIMIT_MS, Math.round(leftMs)));
    const options = { timeout, maxBuffer: MAX_BYTES, env: { ...process.env, LC_ALL: 'C' } };
    execFile('nmcli', args, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const cause = { code: error.code, signal: error.signal };
      reject(
        new RelaygateError(
          'refused',
          `There is no Wi-Fi of this device: ${reasonOf(error, without(args, stderr), timeout)}.`,
          {
            cause,
          },
        ),
      );
    });
  });
}

function without(args: readonly string[], text: string): string {
  const secret = args[args.indexOf(PASSPHRASE) + 1];
  return args.includes(PASSPHRASE) && secret ? text.replaceAll(secret, '***') : text;
}

function reasonOf(error: Error & { killed?: boolean | undefined }, stderr: string, limitMs: number): string {
  if (codeOf(error) === 'ENOENT') return 'NetworkManager (nmcli) is not installed';
  if (error.killed) return `nmcli has not answered within ${Math.ceil(limitMs / 1_000)} s`;
  const said = printable(oneLine(stderr)).slice(0, MAX_REASON_CHARS).replace(/\.$/, '');
  return said === '' ? 'nmcli failed without a word' : said;
}
