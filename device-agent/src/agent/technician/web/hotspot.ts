import type { Randomness } from '@relaygate/shared';

/** The device's own Wi-Fi, as a port. */
export interface Hotspot {
  /** Rejects with RelaygateError if the machine has no Wi-Fi, or nobody who may set it up. */
  begin(ssid: string, passphrase: string): Promise<void>;
  /** Ends it, also if it was not there. Rejects with RelaygateError. */
  end(): Promise<void>;
}

/** The device's own address in it: NetworkManager's first choice for networks that it shares. */
export const HOTSPOT_ADDRESS = '10.42.0.1';
const MAX_SSID_BYTES = 32;
/** Without letters and digits that are taken for others. 60 bits. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';
const PASSPHRASE_CHARS = 12;

/** "xxxx-xxxx-xxxx", new each time. */
export function drawPassphrase(randomness: Randomness): string {
  const bytes = [...randomness.bytes(PASSPHRASE_CHARS)];
  const text = bytes.map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return text.replaceAll(/(.{4})(?=.)/g, '$1-');
}

export function ssidOf(setting: string | undefined, productLogin: string): string {
  return (setting ?? `Relaygate ${productLogin}`).slice(0, MAX_SSID_BYTES).trimEnd();
}
