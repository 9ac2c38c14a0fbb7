import { type WrittenHistory, writtenHistory } from '../../support/device/written-history';
import { type WrittenSettings, writtenSettings } from '../../support/device/written-settings';
import { CONSOLE_PORT } from '../ports/console-line';
import { type Disk, STATE_PATH } from '../ports/disk';
import type { DeviceSetup } from './device-setup';
import { SERVER_NAME } from './server-name';

export const SETTINGS_PATH = '/data/settings.json';
export const CODE_PATH = '/data/enrolment-code';
export const IDENTITY_PATH = '/data/identity.json';
export const HISTORY_PATH = '/data/history.jsonl';
export const PIN_PATH = '/data/pin.json';
export const PROOF_PATH = '/data/proof.json';
/** There while a factory reset is not finished. */
export const RESET_MARK_PATH = '/data/reset-begun.json';
/** What a factory reset must leave nothing of. */
export const WIPED_PATHS = [
  ...[SETTINGS_PATH, CODE_PATH, IDENTITY_PATH, HISTORY_PATH, PIN_PATH, PROOF_PATH, STATE_PATH],
  ...['/data/locks.json', '/data/web-certificate.json', '/data/last-good-time.json'],
];

/** The files of one machine that people handle: settings, enrolment code, identity. */
export class Card {
  readonly #disk: Disk;
  readonly #settingsText: string;
  #claimedKey: string | null = null;

  constructor(disk: Disk, { productLogin, outputs, inputs, requireProof, hasConsole, enrolmentCode }: DeviceSetup) {
    this.#disk = disk;
    const link = { serverUrl: 'wss://relaygate.example', serverName: SERVER_NAME, productLogin };
    const settings = {
      ...{ board: { kind: 'simulated' }, outputs, link },
      ...(inputs.length > 0 ? { inputs } : {}),
      ...(requireProof ? { requireProof } : {}),
      ...(hasConsole ? { console: { port: CONSOLE_PORT, language: 'en' } } : {}),
    };
    this.#settingsText = `${JSON.stringify(settings)}\n`;
    this.setUp();
    this.putCode(enrolmentCode);
  }

  /** The installer puts the settings on it. */
  setUp(): void {
    this.#disk.put(SETTINGS_PATH, this.#settingsText);
  }

  /** A factory reset was begun and is not finished. */
  get isReset(): boolean {
    return this.#disk.textOf(RESET_MARK_PATH) !== null;
  }

  get hasSettings(): boolean {
    return this.#disk.textOf(SETTINGS_PATH) !== null;
  }

  /** The installer puts a new code on it. */
  putCode(enrolmentCode: string): void {
    this.#disk.put(CODE_PATH, `${enrolmentCode}\n`);
  }

  /** Becomes a copy of another device's. */
  copy(other: Card): void {
    this.#claimedKey = null;
    this.#disk.put(IDENTITY_PATH, other.#disk.textOf(IDENTITY_PATH));
    this.#disk.put(CODE_PATH, null);
  }

  /** Becomes that of somebody who claims to be another device; `forges`: by its key, without being able to sign. */
  pretend(other: Card, forges: boolean): void {
    const identity = other.#disk.textOf(IDENTITY_PATH);
    this.#claimedKey = forges && identity !== null ? JSON.parse(identity).publicKey : null;
    this.#disk.put(IDENTITY_PATH, null);
    this.#disk.put(CODE_PATH, null);
  }

  /** A frame to the server: an impostor's hello names the key that the server knows, not the one it signs with. */
  claimed(text: string): string {
    if (this.#claimedKey === null || !text.startsWith('{"type":"hello"')) return text;
    return JSON.stringify({ ...JSON.parse(text), publicKey: this.#claimedKey });
  }

  /** The settings name a mode that there is not. Returns what mends it. */
  spoilSettings(): () => void {
    const text = this.#disk.textOf(SETTINGS_PATH);
    // A factory reset has taken them.
    if (text === null) return () => {};
    const spoilt = text.replaceAll(/"mode": ?"[a-z-]+"/g, '"mode":"sometimes"');
    this.#disk.put(SETTINGS_PATH, spoilt);
    return () => {
      if (this.#disk.textOf(SETTINGS_PATH) === spoilt) this.#disk.put(SETTINGS_PATH, text);
    };
  }

  /** The outputs' settings as the file has them; none where it is spoilt. */
  get savedOutputs(): WrittenSettings['outputs'] {
    return this.#saved?.outputs ?? [];
  }

  /** The same as the history names them; null where the file is spoilt. */
  get settings(): WrittenSettings['facts'] | null {
    return this.#saved?.facts ?? null;
  }

  /** What has been made durable of the history, and what its entries make of the settings; null: there is none. */
  get history(): WrittenHistory | null {
    return writtenHistory(this.#disk.durableTextOf(HISTORY_PATH) ?? '');
  }

  /** The same without what is left of a write that the disk has refused: it is written again. */
  get confirmedHistory(): WrittenHistory | null {
    return writtenHistory(this.#disk.confirmedTextOf(HISTORY_PATH) ?? '');
  }

  /** Whose proof of the wiring stands there; null: there is none. */
  get provenBy(): string | null {
    const text = this.#disk.textOf(PROOF_PATH);
    return text === null ? null : JSON.parse(text).by;
  }

  get #saved(): WrittenSettings | null {
    const text = this.#disk.textOf(SETTINGS_PATH);
    return text === null ? null : writtenSettings(text);
  }
}
