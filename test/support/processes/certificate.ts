import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A key and its self-signed certificate for some IP addresses, made by openssl; two days will do. */
export class Certificate {
  readonly #folder = mkdtempSync(join(tmpdir(), 'rg-tls-'));
  readonly certFile = join(this.#folder, 'cert.pem');
  readonly keyFile = join(this.#folder, 'key.pem');

  constructor(...addresses: readonly string[]) {
    const names = addresses.map((address) => `IP:${address}`).join(',');
    const subject = ['-subj', '/CN=relaygate test', '-addext', `subjectAltName=${names}`];
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', this.keyFile];
    const args = ['req', '-x509', '-days', '2', ...key, '-out', this.certFile, ...subject];
    execFileSync('openssl', args, { stdio: 'ignore' });
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }
}
