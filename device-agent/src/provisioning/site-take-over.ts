/** Takes the site's settings from the boot partition over into the device, once. */
import { RelaygateError } from '@relaygate/shared';
import { type BoardProfile, type DeviceSettings, parseDeviceSettings } from '@relaygate/shared/device';
import { KEPT, SITE_FILE, type SiteSettings } from '@relaygate/shared/site-settings';
import type { DataPaths } from '../files/data-paths';
import type { Files, RemovableFiles } from '../files/files';
import type { JsonFile } from '../files/json-file';
import { jsonText } from '../files/json-text';
import { PIN_FORMAT } from '../files/pin-record';
import { readSettings } from '../files/settings-file';
import type { StagedFile, StageFile } from '../files/staged-file';
import type { Log } from '../runtime/log';
import { codeOf, problemOf } from '../runtime/problem';
import { BOARD_CONFIG_FILE, type FirmwareClosing } from './boards/boot-config';
import { closingsOfDevice } from './boards/boot-level';
import type { BootPartition } from './boot-partition';
import { deviceOfSite } from './site/site-device';
import {
  formerSiteIn,
  isRedacted,
  isSettled,
  newRecord,
  recordFile,
  type SiteRecord,
  siteOfRecord,
} from './site/site-record';
import { readSite, wrongSite } from './site/site-text';
import { keptPsk, wifiKeyfile } from './wifi-keyfile';

const SECRET_MODE = 0o600;
const OPEN_MODE = 0o640;

export interface TakeOverDeps {
  boot: BootPartition;
  files: Files;
  stage: StageFile;
  /** As `files`, for files of the system. */
  systemFiles: RemovableFiles;
  stageSystem: StageFile;
  log: Log;
  paths: DataPaths;
  profiles(): readonly BoardProfile[];
  /** What is wrong with a PEM text, in a phrase; null: nothing. */
  certificateProblem(pem: string): string | null;
}

/** A checked file that is to be taken over. */
interface NewSite {
  text: string;
  site: SiteSettings;
  settings: DeviceSettings;
  /** Where its CA certificate belongs, if it has one. */
  caPath: string;
}

/** The device's own settings.json, which guard and agent start with. */
export interface OwnSettings {
  isThere: boolean;
  /** Why it cannot be read, in a sentence that names the file; null: it can, or there is none. */
  problem: string | null;
}

/**
 * Takes a file over. A loss of power may cut every step short, and the step can be done again: first all is checked, then
 * written, then renamed into place, the record last. Only then the secrets on the boot partition are wiped.
 */
export class SiteTakeOver {
  readonly #deps: TakeOverDeps;
  readonly #recordFile: JsonFile<SiteRecord>;

  constructor(deps: TakeOverDeps) {
    this.#deps = deps;
    this.#recordFile = recordFile(deps.files, deps.paths.site);
  }

  /**
   * Resolves with whether there was something to take over. Rejects with `bad-setting` or `file-corrupt` for a wrong file
   * or settings that cannot be read; then nothing was changed.
   */
  async takeOver(): Promise<boolean> {
    const { log } = this.#deps;
    const fresh = await this.#newSite();
    if (!fresh) {
      await this.#wipe();
      return false;
    }
    await this.#store(fresh);
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

  async ownSettings(): Promise<OwnSettings> {
    try {
      return { isThere: (await this.#settingsInUse()) !== null, problem: null };
    } catch (error) {
      return { isThere: true, problem: problemOf(error) };
    }
  }

  /** The relays that the firmware closes at power-on, by the file of a former board. */
  async closings(): Promise<FirmwareClosing[]> {
    const { boot } = this.#deps;
    const settings = await this.#settingsInUse().catch(() => null);
    return settings === null ? [] : closingsOfDevice(await boot.read(BOARD_CONFIG_FILE), settings);
  }

  /** What was taken over, without secrets; null: nothing yet. */
  async site(): Promise<SiteSettings | null> {
    return siteOfRecord(await this.#record());
  }

  async #record(): Promise<SiteRecord | null> {
    return (await this.#recordFile.read()).value;
  }

  async #newSite(): Promise<NewSite | null> {
    const { boot, profiles, certificateProblem } = this.#deps;
    const text = await boot.read(SITE_FILE);
    if (text === null) return null;
    const { text: recordText, value: record } = await this.#recordFile.read();
    if (record && isSettled(text, record)) return null;
    const site = readSite(text);
    const before = await this.#settingsBefore();
    // A device without settings is new, whatever is left of its former ones.
    const former = before && formerSiteIn(recordText);
    const caPath = await this.#caPathOf(site, before);
    const settings = deviceOfSite({ site, profiles: profiles(), before, former, caPath });
    const problem = site.caCertificate === undefined ? null : certificateProblem(site.caCertificate);
    if (problem !== null) throw wrongSite(`caCertificate ${problem}`);
    await this.#refuseMissingSecrets(site, before === null);
    return { text, site, settings, caPath };
  }

  /** null: a new device, which has none. Rejects with a sentence that names the file. */
  async #settingsInUse(): Promise<DeviceSettings | null> {
    const { files, paths } = this.#deps;
    const path = paths.settings;
    const isMissing = await files.read(path).then(
      (text) => text === null,
      () => false,
    );
    return isMissing ? null : (await readSettings(files, path, parseDeviceSettings)).settings;
  }

  /** Rejects if they cannot be read, because their content would be lost. */
  async #settingsBefore(): Promise<DeviceSettings | null> {
    try {
      return await this.#settingsInUse();
    } catch (error) {
      if (!(error instanceof RelaygateError)) throw error;
      throw new RelaygateError(error.code, `${SITE_FILE} is not taken over: ${problemOf(error)}`, { cause: error });
    }
  }

  /** KEPT stands only for a secret that the device has. */
  async #refuseMissingSecrets({ enrolmentCode, wifi, pin }: SiteSettings, isNew: boolean): Promise<void> {
    const { files, systemFiles, paths } = this.#deps;
    const isThere = (path: string, where = files, has = (_text: string) => true): Promise<boolean> =>
      where.read(path).then(
        (text) => text !== null && has(text),
        // The file is there, but a user who only looks (`problem`) may not read it.
        (error: unknown) => codeOf(error) === 'EACCES' || Promise.reject(error),
      );
    if (enrolmentCode === undefined && isNew) throw wrongSite('enrolmentCode is missing, which a new device needs');
    const isEnrolled = !isNew && (await isThere(paths.identity));
    if (enrolmentCode === KEPT && !isEnrolled && !(await isThere(paths.enrolmentCode))) throw notHere('enrolmentCode');
    const hasPsk = (text: string): boolean => keptPsk(text) !== null;
    if (wifi?.passphrase === KEPT && !(await isThere(paths.wifi, systemFiles, hasPsk)))
      throw notHere('wifi.passphrase');
    if (pin === KEPT && !(await isThere(paths.pin))) throw notHere('pin');
  }

  /**
   * All files are written before the first one counts, so that a full disk changes nothing. The settings come last but for
   * the record: without settings guard and agent do not start, and with the old ones they go on as before.
   */
  async #store({ text, site, settings, caPath }: NewSite): Promise<void> {
    const { files, systemFiles, stage, stageSystem, paths } = this.#deps;
    const { wifi, caCertificate, pin, enrolmentCode } = site;
    const mine = { files, stage };
    const staged: StagedFile[] = [];
    const put = async (where: typeof mine, path: string, content: string, mode: number): Promise<void> => {
      // A former start may have died before it was durable, and its secret is wiped below.
      if ((await where.files.read(path)) === content) await where.files.sync(path);
      else staged.push(await where.stage(path, content, { mode }));
    };
    try {
      if (wifi !== undefined) {
        const path = paths.wifi;
        const kept = wifi.passphrase === KEPT ? keptPsk(await systemFiles.read(path)) : undefined;
        await put({ files: systemFiles, stage: stageSystem }, path, wifiKeyfile(wifi, kept), SECRET_MODE);
      }
      if (caCertificate !== undefined) await put(mine, caPath, caCertificate, OPEN_MODE);
      if (pin !== undefined && pin !== KEPT) await put(mine, paths.pin, pinText(pin), PIN_FORMAT.mode);
      if (enrolmentCode !== undefined && enrolmentCode !== KEPT)
        await put(mine, paths.enrolmentCode, `${enrolmentCode}\n`, SECRET_MODE);
      await put(mine, paths.settings, jsonText(settings), OPEN_MODE);
      const record = this.#recordFile;
      await put(mine, record.path, record.textOf(newRecord(text, site)), OPEN_MODE);
    } catch (error) {
      await Promise.allSettled(staged.map((file) => file.discard()));
      throw error;
    }
    if (wifi === undefined) await this.#removeWifi();
    for (const file of staged) await file.commit();
  }

  /** Makes the file on the boot partition what the record says of it. */
  async #wipe(): Promise<void> {
    const { boot } = this.#deps;
    const record = await this.#record();
    if (!record || record.isWiped) return;
    const text = await boot.read(SITE_FILE);
    // Put there since: the next start takes it over. If the partition is not mounted, the next start wipes it.
    if (text === null || !isSettled(text, record)) return;
    if (!isRedacted(text, record)) {
      await this.#recordFile.sync();
      await boot.overwrite(SITE_FILE, record.rest);
    }
    await this.#recordFile.save({ ...record, isWiped: true });
  }

  async #removeWifi(): Promise<void> {
    const { systemFiles, paths } = this.#deps;
    if ((await systemFiles.read(paths.wifi)) !== null) await systemFiles.remove(paths.wifi);
  }

  /**
   * A path that the settings in use do not name, so that it changes with them; the same path if the certificate has not
   * changed.
   */
  async #caPathOf({ caCertificate }: SiteSettings, inUse: DeviceSettings | null): Promise<string> {
    const { files, paths } = this.#deps;
    const { serverCa: first, otherServerCa: second } = paths;
    const current = inUse?.link?.serverCaFile;
    if (current !== first && current !== second) return first;
    if ((await files.read(current)) === caCertificate) return current;
    return current === first ? second : first;
  }
}

function pinText(pin: string): string {
  const [id = '', salt = '', hash = ''] = pin.split('.');
  return jsonText({ id, salt, hash }, PIN_FORMAT);
}

function notHere(member: string): Error {
  return wrongSite(`${member} is "${KEPT}", but this device does not have it: write it anew`);
}
