/** Takes the site's settings from the boot partition over into the device, once. */
import { type BoardProfile, type DeviceSettings, parseDeviceSettings } from '@relaygate/shared';
import { KEPT, SITE_FILE, type SiteSettings } from '@relaygate/shared/site-settings';
import type { Files } from '../files/files';
import { parsedIn } from '../files/json-text';
import { PIN_FILE_MODE, pinRecordText } from '../local/pin-record';
import type { Log } from '../program/log';
import { deviceOfSite } from '../site/site-device';
import { readSite, wrongSite } from '../site/site-text';
import type { BootPartition } from './boot-partition';
import { isRest, isSettled, newRecord, readRecord, type SiteRecord, siteOfRecord, writeRecord } from './site-record';
import { WIFI_FILE, wifiKeyfile } from './wifi-keyfile';

const SECRET_MODE = 0o600;
const OPEN_MODE = 0o640;

export interface TakeOverPorts {
  boot: BootPartition;
  files: Files;
  /** The same for files that are the system's and not the agent's. */
  systemFiles: Files;
  log: Log;
  dataDir: string;
  /** Where NetworkManager looks for connections. */
  networkDir: string;
  profiles(): readonly BoardProfile[];
  /** What is wrong with a PEM text, in a phrase; null: nothing. */
  certificateProblem(pem: string): string | null;
}

/** A file that is to be taken over, checked. */
interface NewSite {
  text: string;
  site: SiteSettings;
  settings: DeviceSettings;
}

/**
 * Every step can be cut short by a loss of power and done again: first all is checked, then stored, then the record says so,
 * and only then are the secrets wiped from the boot partition.
 */
export class SiteTakeOver {
  readonly #ports: TakeOverPorts;

  constructor(ports: TakeOverPorts) {
    this.#ports = ports;
  }

  /** True: there was something to take over. Rejects with `bad-setting` for a file that is wrong; nothing was changed then. */
  async takeOver(): Promise<boolean> {
    const { files, log } = this.#ports;
    const fresh = await this.#newSite();
    if (!fresh) {
      await this.#wipe();
      return false;
    }
    await this.#store(fresh);
    await writeRecord(files, this.#recordPath, newRecord(fresh.text, fresh.site));
    log.info(`${SITE_FILE}: taken over for product ${fresh.site.productLogin}`);
    await this.#wipe();
    return true;
  }

  /** Why the file on the boot partition is not in force; null: it is, or there is none. Changes nothing. */
  async problem(): Promise<string | null> {
    try {
      await this.#newSite();
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** What was taken over, without secrets; null: nothing yet. */
  async site(): Promise<SiteSettings | null> {
    return siteOfRecord(await this.#record());
  }

  get #recordPath(): string {
    return `${this.#ports.dataDir}/site.json`;
  }

  #record(): Promise<SiteRecord | null> {
    return readRecord(this.#ports.files, this.#recordPath);
  }

  async #newSite(): Promise<NewSite | null> {
    const { boot, files, dataDir, profiles, certificateProblem } = this.#ports;
    const text = await boot.read(SITE_FILE);
    if (text === null) return null;
    const record = await this.#record();
    if (record && isSettled(text, record)) return null;
    const site = readSite(text);
    const inUse = await files.read(`${dataDir}/settings.json`);
    const before = inUse === null ? null : parsedIn(inUse, parseDeviceSettings);
    const settings = deviceOfSite({ site, profiles: profiles(), before, caPath: this.#caPath });
    const problem = site.caCertificate === undefined ? null : certificateProblem(site.caCertificate);
    if (problem !== null) throw wrongSite(`caCertificate ${problem}`);
    await this.#refuseMissingSecrets(site, before === null);
    return { text, site, settings };
  }

  /** KEPT is for a device that has it. */
  async #refuseMissingSecrets({ enrolmentCode, wifi, pin }: SiteSettings, isNew: boolean): Promise<void> {
    const { files, systemFiles, dataDir } = this.#ports;
    const isThere = async (path: string, where = files): Promise<boolean> => (await where.read(path)) !== null;
    if (enrolmentCode === undefined && isNew) throw wrongSite('enrolmentCode is missing, which a new device needs');
    const isEnrolled = !isNew && (await isThere(`${dataDir}/identity.json`));
    if (enrolmentCode === KEPT && !isEnrolled && !(await isThere(`${dataDir}/enrolment-code`)))
      throw notHere('enrolmentCode');
    if (wifi?.passphrase === KEPT && !(await isThere(this.#wifiPath, systemFiles))) throw notHere('wifi.passphrase');
    if (pin === KEPT && !(await isThere(`${dataDir}/pin.json`))) throw notHere('pin');
  }

  /** The settings last: without them guard and agent do not start, and with the old ones they go on as before. */
  async #store({ site, settings }: NewSite): Promise<void> {
    const { files, systemFiles, dataDir } = this.#ports;
    const { wifi, caCertificate, pin, enrolmentCode } = site;
    if (wifi === undefined) await this.#removeWifi();
    else if (wifi.passphrase !== KEPT) await put(systemFiles, this.#wifiPath, wifiKeyfile(wifi), SECRET_MODE);
    if (caCertificate !== undefined) await put(files, this.#caPath, caCertificate, OPEN_MODE);
    if (pin !== undefined && pin !== KEPT) await put(files, `${dataDir}/pin.json`, pinText(pin), PIN_FILE_MODE);
    if (enrolmentCode !== undefined && enrolmentCode !== KEPT)
      await put(files, `${dataDir}/enrolment-code`, `${enrolmentCode}\n`, SECRET_MODE);
    await put(files, `${dataDir}/settings.json`, `${JSON.stringify(settings, null, 2)}\n`, OPEN_MODE);
  }

  /** What the record says of the file on the boot partition is made true. */
  async #wipe(): Promise<void> {
    const { boot, files } = this.#ports;
    const record = await this.#record();
    if (!record || record.isWiped) return;
    const text = await boot.read(SITE_FILE);
    if (text !== null && !isRest(text, record)) await boot.overwrite(SITE_FILE, record.rest);
    await writeRecord(files, this.#recordPath, { ...record, isWiped: true });
  }

  async #removeWifi(): Promise<void> {
    const { systemFiles } = this.#ports;
    if ((await systemFiles.read(this.#wifiPath)) !== null) await systemFiles.remove(this.#wifiPath);
  }

  get #wifiPath(): string {
    return `${this.#ports.networkDir}/${WIFI_FILE}`;
  }

  get #caPath(): string {
    return `${this.#ports.dataDir}/server-ca.pem`;
  }
}

/** Written only where it changes something. */
async function put(files: Files, path: string, text: string, mode: number): Promise<void> {
  if ((await files.read(path)) !== text) await files.replace(path, text, { mode });
}

function pinText(pin: string): string {
  const [id = '', salt = '', hash = ''] = pin.split('.');
  return pinRecordText({ id, salt, hash });
}

function notHere(member: string): Error {
  return wrongSite(`${member} is "${KEPT}", but this device does not have it: write it anew`);
}
