import { type Clock, parserOf, Type } from '@relaygate/shared';
import type { Files } from '../../../files/files';
import { JsonFile } from '../../../files/json-file';
import { quarantineIfPossible } from '../../../files/quarantine';
import { TimelySaves } from '../../../files/timely-saves';
import { quarantineText } from '../../../locales/en/guard-faults';
import type { Log } from '../../../runtime/log';
import { problemOf } from '../../../runtime/problem';
import { type Happened, happened } from '../../history/happened';
import type { Certificate, Certificates } from './web-exchange';

/** Nobody but the agent reads it. */
const FORMAT = { parse: parserOf(Type.Object({ key: Type.String(), certificate: Type.String() })), mode: 0o600 };

export interface CertificateFileDeps {
  files: Files;
  clock: Clock;
  path: string;
  certificates: Certificates;
  commonName: string;
  hosts(): readonly string[];
  log: Log;
  /** For the log of events. */
  report(what: Happened): void;
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

  /**
   * Makes the certificate at the first call; one that cannot be used is quarantined before. One that ends soon is renewed
   * with its key, and stays in use if the new one cannot be saved. Rejects with the disk's error, or after
   * SAVE_PATIENCE_MS.
   */
  async open(): Promise<Certificate> {
    const { files, path, certificates, log, report } = this.#deps;
    const { text, value: kept } = await this.#file.read();
    const before = kept && certificates.fingerprintOf(kept);
    if (kept && before !== null) {
      if (!certificates.isDue(kept)) return kept;
      const renewed = await this.#make(kept.key).catch((error: unknown) => {
        log.warn(`the page's certificate ends soon and cannot be renewed: ${problemOf(error)}`);
      });
      if (!renewed) return kept;
      report(happened('page-certificate', { fingerprint: certificates.fingerprintOf(renewed) ?? '', before }));
      return renewed;
    }
    if (text !== null)
      log.warn(
        `${path} is corrupt: ${quarantineText(await quarantineIfPossible(files, path))}; the page gets a new certificate.`,
      );
    const made = await this.#make();
    log.info(`made the page's certificate, SHA-256 ${certificates.fingerprintOf(made)}`);
    return made;
  }

  async #make(key?: string): Promise<Certificate> {
    const { certificates, commonName, hosts } = this.#deps;
    const made = await certificates.make({ commonName, hosts: hosts(), ...(key === undefined ? {} : { key }) });
    this.#made = made;
    await this.#saves.save();
    return made;
  }
}
