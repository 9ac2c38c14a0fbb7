/** agent.sock: switching the technician's page on and off. */
import { type Static, Type } from '@relaygate/shared';
import { CHANGE } from './actor';

/** `forMs` is checked by the action, which names its range. */
export const WebOnRequest = Type.Object({
  forMs: Type.Number(),
  hotspot: Type.Boolean(),
  ...CHANGE,
});
export type WebOnRequest = Static<typeof WebOnRequest>;
export const WebOffRequest = Type.Object({ ...CHANGE });
export const WebStatusRequest = Type.Object({});

export interface WebStatus {
  isOn: boolean;
  /** How long it stays on; null: it is off. */
  leftMs: number | null;
  port: number;
  /** Its addresses; none while it is off. */
  urls: string[];
  /** SHA-256 of the certificate, as browsers show it; null: none is made before the page is switched on for the first time. */
  fingerprint: string | null;
  /** The device's own Wi-Fi, if it is up. */
  hotspotSsid: string | null;
}

export interface WebOnReply extends WebStatus {
  /** The passphrase of the Wi-Fi that was begun with it, shown this once; null: none was begun. */
  hotspotPassphrase: string | null;
}

export interface WebOffReply {
  wasOn: boolean;
}
