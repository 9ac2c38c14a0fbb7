import { type OutputSettings, parseDeviceSettings } from '@relaygate/shared';
import type { DeviceSetup } from './device-setup';
import type { Disk } from './disk';
import { SERVER_NAME } from './server-name';

export const SETTINGS_PATH = '/data/settings.json';
export const CODE_PATH = '/data/enrolment-code';
export const IDENTITY_PATH = '/data/identity.json';
export const HISTORY_PATH = '/data/history.jsonl';
export const PIN_PATH = '/data/pin.json';

/** The files of one machine that people handle: settings, enrolment code, identity. */
export class Card {
  readonly #disk: Disk;
  #claimedKey: string | null = null;

  constructor(disk: Disk, { productLogin, outputs, enrolmentCode }: DeviceSetup) {
    this.#disk = disk;
    const link = { serverUrl: 'wss://relaygate.example', serverName: SERVER_NAME, productLogin };
    disk.put(SETTINGS_PATH, `${JSON.stringify({ board: { kind: 'simulated' }, outputs, link })}\n`);
    this.putCode(enrolmentCode);
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
    const spoilt = text?.replaceAll(/"mode": ?"[a-z-]+"/g, '"mode":"sometimes"') ?? '';
    this.#disk.put(SETTINGS_PATH, spoilt);
    return () => {
      if (this.#disk.textOf(SETTINGS_PATH) === spoilt) this.#disk.put(SETTINGS_PATH, text);
    };
  }

  /** The output's settings as the file has them. */
  savedOutput(numOutput: number): OutputSettings | undefined {
    const settings = parseDeviceSettings(JSON.parse(this.#disk.textOf(SETTINGS_PATH) ?? ''));
    return settings.ok ? settings.value.outputs[numOutput] : undefined;
  }
}
