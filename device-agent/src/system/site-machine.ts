/** What a site's settings mean to the machine itself, beyond its files. */
import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { problemOf } from '../program/problem';

const COMMAND_MS = 10_000;
const HOSTNAME = '/proc/sys/kernel/hostname';
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** In a phrase; null: every certificate of the PEM text can be read. */
export function certificateProblem(pem: string): string | null {
  const certificates = pem.match(CERTIFICATE) ?? [];
  try {
    for (const certificate of certificates) new X509Certificate(certificate);
    return certificates.length > 0 ? null : 'holds no certificate';
  } catch (error) {
    return `is no certificate (${problemOf(error)})`;
  }
}

/** The number of the user to whom root gives its files; undefined: there is none of that name, or this is not root. */
export function ownerOf(name: string): number | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  const id = line?.split(':')[2];
  return id === undefined ? undefined : Number(id);
}

/** Until the next start, which says it anew: so a read-only root can keep its own name. Throws. */
export function nameMachine(hostname: string): void {
  if (readFileSync(HOSTNAME, 'utf8').trim() !== hostname) writeFileSync(HOSTNAME, hostname);
}

/** Which channels are lawful, and the switch of the Wi-Fi on. Rejects where a program is missing or fails. */
export async function unblockWifi(country: string): Promise<void> {
  await run('iw', ['reg', 'set', country]);
  await run('rfkill', ['unblock', 'wifi']);
}

function run(program: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { timeout: COMMAND_MS }, (error) => (error ? reject(error) : resolve()));
  });
}
