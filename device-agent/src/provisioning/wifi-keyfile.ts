/** A connection as NetworkManager reads it (nm-settings-keyfile(5)). */
import type { SiteWifi } from '@relaygate/shared/site-settings';

export const WIFI_ID = 'relaygate-wifi';
/** A device has one of them. */
const UUID = '5d0f5c1e-3f0b-4c0e-9c55-7e1a9a6d2b41';

/** `kept`: with this passphrase, as `keptPsk` gives it, in place of the site's. Throws without one: the network is not open. */
export function wifiKeyfile({ ssid, passphrase, hidden }: SiteWifi, kept?: string | null): string {
  if (kept === null) throw new Error('the passphrase that was kept is missing');
  const psk = kept ?? (passphrase === undefined ? undefined : escaped(passphrase));
  return [
    '[connection]',
    `id=${WIFI_ID}`,
    `uuid=${UUID}`,
    'type=wifi',
    // 0: for ever; a network that is away comes back without anybody near.
    'autoconnect-retries=0',
    '',
    '[wifi]',
    'mode=infrastructure',
    // As bytes, because a keyfile would take some characters of a name for its own signs.
    `ssid=${[...Buffer.from(ssid)].map((byte) => `${byte};`).join('')}`,
    ...(hidden ? ['hidden=true'] : []),
    '',
    ...(psk === undefined ? [] : ['[wifi-security]', 'key-mgmt=wpa-psk', `psk=${psk}`, '']),
    '[ipv4]',
    'method=auto',
    '',
    '[ipv6]',
    'method=auto',
    '',
  ].join('\n');
}

/** The passphrase in a connection, escaped; null: there is none. */
export function keptPsk(keyfile: string | null): string | null {
  return /^psk=(.+)$/m.exec(keyfile ?? '')?.[1] ?? null;
}

/** Blanks at either end would be cut off (GLib's key files). */
function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll(' ', '\\s');
}
