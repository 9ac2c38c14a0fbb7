import { type Clock, parserOf, Type } from '@relaygate/shared';
import type { Files } from '../../files/files';
import { JsonFile } from '../../files/json-file';
import { quarantineIfPossible, quarantineText } from '../../files/quarantine';
import { TimelySaves } from '../../files/timely-saves';
import type { Log } from '../../runtime/log';
import type { Certificate } from './web-exchange';

/** Nobody but the agent reads it. */
const FORMAT = { parse: parserOf(Type.Object({ key: Type.String(), certificate: Type.String() })), mode: 0o600 };

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
  readonly #file: JsonFile<Certificate>;
  readonly #saves: TimelySaves;
  /** The newest one that was made here. */
  #made: Certificate | null = null;

  constructor(deps: CertificateFileDeps) {
    this.#deps = deps;
    const { clock, files, path } = deps;
    this.#file = new JsonFile<Certificate>(files, path, FORMAT);
    const write = async (): Promise<void> => {
      if (this.#made) await this.#file.save(this.#made);
    };
    this.#saves = new TimelySaves({ clock, write, silent: () => {} });
  }

  /** null: there is none yet, or it cannot be used. Writes nothing. */
  async fingerprint(): Promise<string | null> {
    const kept = await this.#file.read().catch(() => null);
    return kept?.value ? this.#deps.certificates.fingerprintOf(kept.value) : null;
  }

  /** Makes it at the first call; one that cannot be used is quarantined before. Rejects with the disk's error, or after SAVE_PATIENCE_MS. */
  async open(): Promise<Certificate> {
    const { files, path, certificates, commonName, log } = this.#deps;
    const { text, value: kept } = await this.#file.read();
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
