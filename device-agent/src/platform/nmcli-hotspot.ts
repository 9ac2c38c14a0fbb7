import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { oneLine } from '@relaygate/shared/plain-text';
import { printable } from '../runtime/printable';
import { causeOf, codeOf } from '../runtime/problem';
import { refused } from '../runtime/refused';

/** The name of the page's connection, which no other has. */
const CONNECTION = 'relaygate-page';
const PASSPHRASE = '802-11-wireless-security.psk';
/** The profile has none ("not saved"): nmcli is asked for it when the Wi-Fi comes up. */
const NO_PASSPHRASE: readonly string[] = [`${PASSPHRASE}-flags`, '2'];
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
/** How long all steps of a begin may take; relayctl waits for 15 s in all. */
const BEGIN_MS = 12_000;
/** A radio that was off takes a moment. One that stays off is not waited for any longer. */
const [READY_LOOKS, BETWEEN_LOOKS_MS] = [10, 250];
/** NM_DEVICE_STATE_UNAVAILABLE, as nmcli begins the state. */
const NOT_READY = '20 ';
const MAX_CHARS = 64 * 1024;
const MAX_REASON_CHARS = 200;
/** nmcli(1), "exit status": connection, device or access point does not exist. */
const NOT_THERE = 10;
/** Without a NetworkManager there is no Wi-Fi of ours either. */
const GONE: readonly unknown[] = [NOT_THERE, 'ENOENT'];

/** The device's own Wi-Fi by NetworkManager. `runDir`: in memory, and closed to others. */
export function nmcliHotspot(runDir: string) {
  return {
    async begin(ssid: string, passphrase: string, patienceMs = BEGIN_MS): Promise<void> {
      const untilMs = performance.now() + patienceMs;
      const step = (args: readonly string[], stdin?: FileHandle): Promise<string> =>
        nmcli(args, untilMs - performance.now(), stdin);
      const device = wifiIn(await step(['--terse', '--fields', 'DEVICE,TYPE', 'device']));
      if (device === null) throw refused('refused', 'no-wifi', {});
      // If it fails, the last step says what is wrong.
      await step(['radio', 'wifi', 'on']).catch(() => {});
      await end(untilMs - performance.now());
      const secrets = await secretsFile(runDir, `${PASSPHRASE}:${passphrase}\n`);
      try {
        // The profile is in NetworkManager's memory only: nothing is on the card, and a power cut leaves nothing.
        const profile = ['save', 'no', 'type', 'wifi', 'ifname', device, 'con-name', CONNECTION, 'ssid', ssid];
        await step(['connection', 'add', ...profile, ...NO_PASSPHRASE, ...ACCESS_POINT]);
        await whenReady(() => step(['--get-values', 'GENERAL.STATE', 'device', 'show', device]));
        // Every user of the machine can read arguments, so the passphrase stands in none.
        await step(['--wait', String(WAIT_S), 'connection', 'up', CONNECTION, 'passwd-file', '/dev/stdin'], secrets);
      } finally {
        await secrets.close();
      }
    },

    end: (): Promise<void> => end(LIMIT_MS),
  };
}

async function end(leftMs: number): Promise<void> {
  try {
    await nmcli(['connection', 'delete', CONNECTION], leftMs);
  } catch (error) {
    const cause = error instanceof Error ? error.cause : null;
    if (typeof cause === 'object' && cause && 'code' in cause && GONE.includes(cause.code)) return;
    throw error;
  }
}

/** Resolves as soon as NetworkManager would begin something at the device, or when it has had its time for that. */
async function whenReady(state: () => Promise<string>): Promise<void> {
  for (let look = 1; look < READY_LOOKS && (await state()).startsWith(NOT_READY); look += 1)
    await wait(BETWEEN_LOOKS_MS);
}

/** Makes a file without a name: it ends with whoever holds it open, however they end. */
async function secretsFile(folder: string, text: string): Promise<FileHandle> {
  const path = join(folder, `.${randomBytes(6).toString('hex')}`);
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600 });
    return await open(path, 'r');
  } catch (cause) {
    throw refused('refused', 'passphrase-stuck', { problem: causeOf(cause) }, { cause });
  } finally {
    await unlink(path).catch(() => {});
  }
}

/** The first one; null: there is none. */
function wifiIn(devices: string): string | null {
  const found = devices.split('\n').find((line) => line.endsWith(':wifi'));
  // In nmcli's terse output a colon of a name has a backslash before it.
  return found?.replace(/:wifi$/, '').replaceAll('\\', '') ?? null;
}

/** Resolves with what it printed. Rejects with RelaygateError. */
function nmcli(args: readonly string[], leftMs: number, stdin?: FileHandle): Promise<string> {
  return new Promise((resolve, reject) => {
    const limitMs = Math.max(1, Math.min(LIMIT_MS, Math.round(leftMs)));
    const env = { ...process.env, LC_ALL: 'C' };
    const child = spawn('nmcli', args, { stdio: [stdin?.fd ?? 'ignore', 'pipe', 'pipe'], env });
    const [printed, complaint] = [collected(child.stdout), collected(child.stderr)];
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill();
      // Programs that nmcli has started may hold them open.
      child.stdout?.destroy();
      child.stderr?.destroy();
    }, limitMs);
    child.once('error', (error) => {
      clearTimeout(timer);
      const code = codeOf(error);
      if (code === 'ENOENT') reject(refused('refused', 'no-network-manager', {}, { cause: { code } }));
      else reject(refused('refused', 'wifi-failed', { problem: causeOf(error) }, { cause: { code } }));
    });
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      const because = { cause: { code, signal } };
      const problem = reasonIn(complaint.text);
      if (isLate) reject(refused('refused', 'wifi-silent', { seconds: Math.ceil(limitMs / 1_000) }, because));
      else if (code === 0) resolve(printed.text);
      else if (problem === '') reject(refused('refused', 'wifi-failed-silently', {}, because));
      else reject(refused('refused', 'wifi-failed', { problem }, because));
    });
  });
}

function collected(stream: Readable | null): { readonly text: string } {
  const all = { text: '' };
  stream?.setEncoding('utf8').on('data', (chunk: string) => {
    all.text = (all.text + chunk).slice(0, MAX_CHARS);
  });
  return all;
}

function reasonIn(complaint: string): string {
  return printable(oneLine(complaint)).slice(0, MAX_REASON_CHARS).replace(/\.$/, '');
}
