import type { Randomness } from '@relaygate/shared';

/** The device's own Wi-Fi, as a port. */
export interface Hotspot {
  /** Rejects with RelaygateError where the machine has no Wi-Fi, nobody who sets it up, or is not let. */
  begin(ssid: string, passphrase: string): Promise<void>;
  /** Gone when it resolves, also when it was not there. Rejects with RelaygateError. */
  end(): Promise<void>;
}

/** Of the device in it: NetworkManager's first choice for networks that it shares. */
export const HOTSPOT_ADDRESS = '10.42.0.1';
const MAX_SSID_BYTES = 32;
/** No letter or digit that is taken for another one. 60 bits. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';
const PASSPHRASE_CHARS = 12;

/** "xxxx-xxxx-xxxx", another one each time. */
export function drawPassphrase(randomness: Randomness): string {
  const bytes = [...randomness.bytes(PASSPHRASE_CHARS)];
  const text = bytes.map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return text.replaceAll(/(.{4})(?=.)/g, '$1-');
}

export function ssidOf(setting: string | undefined, productLogin: string): string {
  return (setting ?? `Relaygate ${productLogin}`).slice(0, MAX_SSID_BYTES).trimEnd();
}
