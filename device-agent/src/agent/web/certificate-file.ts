import { type Clock, parserOf, Type } from '@relaygate/shared';
import type { Files } from '../../files/files';
import { parsedIn } from '../../files/json-text';
import { quarantineIfPossible, quarantineText } from '../../files/quarantine';
import { TimelySaves } from '../../files/timely-saves';
import type { Log } from '../../program/log';
import type { Certificate } from './web-exchange';

/** Nobody but the agent reads it. */
const MODE = 0o600;
const parseCertificate = parserOf(Type.Object({ key: Type.String(), certificate: Type.String() }));

/** Making certificates and looking at them, as a port. */
export interface Certificates {
  /** A new key with its certificate, signed by itself, for a device of that name. */
  make(commonName: string): Promise<Certificate>;
  /** SHA-256 as browsers show it; null: this is no certificate, or not the one of this key. */
  fingerprintOf(certificate: Certificate): string | null;
}

export interface CertificateFileDeps {
  files: Files;
  clock: Clock;
  path: string;
  certificates: Certificates;
  commonName: string;
  log: Log;
}

/** `web-certificate.json`: by its fingerprint a technician knows the device. */
export class CertificateFile {
  readonly #deps: CertificateFileDeps;
  readonly #saves: TimelySaves;
  /** The newest one that was made here. */
  #made: Certificate | null = null;

  constructor(deps: CertificateFileDeps) {
    this.#deps = deps;
    const { clock, files, path } = deps;
    const write = (): Promise<void> =>
      files.replace(
        path,
        `${JSON.stringify(this.#made, null, 2)}
`,
        { mode: MODE },
      );
    this.#saves = new TimelySaves({ clock, write, silent: () => {} });
  }

  /** null: there is none yet, or it cannot be used. Writes nothing. */
  async fingerprint(): Promise<string | null> {
    const { files, path, certificates } = this.#deps;
    const text = await files.read(path).catch(() => null);
    const kept = text === null ? null : parsedIn(text, parseCertificate);
    return kept && certificates.fingerprintOf(kept);
  }

  /** Makes it at the first call; one that cannot be used is quarantined before. Rejects with the disk's error, or after SAVE_PATIENCE_MS. */
  async open(): Promise<Certificate> {
    const { files, path, certificates, commonName, log } = this.#deps;
    const text = await files.read(path);
    const kept = text === null ? null : parsedIn(text, parseCertificate);
    if (kept && certificates.fingerprintOf(kept) !== null) return kept;
    if (text !== null)
      log.warn(
        `${path} is corrupt: ${quarantineText(await quarantineIfPossible(files, path))}; the page gets a new certificate.`,
      );
    const made = await certificates.make(commonName);
    this.#made = made;
    await this.#saves.save();
    log.info(`made the page's certificate, SHA-256 ${certificates.fingerprintOf(made)}`);
    return made;
  }
}
