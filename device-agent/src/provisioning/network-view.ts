/** How the device's network is, as far as the system says. */
export interface NetworkView {
  /** Some interface has an address of its own. */
  isConnected: boolean;
  wifi: WifiState;
}

/** `unknown`: nobody knows, or there is no Wi-Fi on this device. */
export type WifiState =
  | 'connected'
  | 'wrong-passphrase'
  | 'not-found'
  /** NetworkManager has given it up, and does not say why. */
  | 'not-joined'
  | 'blocked'
  | 'connecting'
  | 'unknown';

/** NM_DEVICE_STATE and NM_DEVICE_STATE_REASON (networkmanager.dev, "D-Bus API: types"). */
const ACTIVATED = 100;
const UNAVAILABLE = 20;
const DISCONNECTED = 30;
/** The reasons "no secrets", and the supplicant's ways to fail at them. */
const REASONS_OF_SECRETS: readonly number[] = [7, 8, 9, 10, 11];
const REASON_SSID_NOT_FOUND = 53;
const STATE_FAILED = 120;
const NEED_AUTH = 60;

/** The state in the text of `nmcli -t -f GENERAL.TYPE,GENERAL.STATE,GENERAL.REASON device show`. */
export function wifiStateOf(nmcli: string): WifiState {
  const wifi = nmcli.split('\n\n').find((device) => /^GENERAL\.TYPE:wifi$/m.test(device));
  if (wifi === undefined) return 'unknown';
  const state = Number(/^GENERAL\.STATE:(\d+)/m.exec(wifi)?.[1]);
  const reason = Number(/^GENERAL\.REASON:(\d+)/m.exec(wifi)?.[1]);
  if (state === ACTIVATED) return 'connected';
  if (state === UNAVAILABLE) return 'blocked';
  if (state === NEED_AUTH || REASONS_OF_SECRETS.includes(reason)) return 'wrong-passphrase';
  if (reason === REASON_SSID_NOT_FOUND) return 'not-found';
  // It forgets its reason, whatever that was, when it goes from "failed" to "disconnected".
  return state === DISCONNECTED || state === STATE_FAILED ? 'not-joined' : 'connecting';
}
