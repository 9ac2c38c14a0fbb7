/** What the helpers do for clients that systemd lets to their sockets, and nothing else. */
import { Type } from '@relaygate/shared/schema';
import type { Mutex } from 'async-mutex';
import type { Action, Actions } from '../ipc/request-session';
import { action } from '../ipc/schema-action';

/** NetworkManager, as a port; all reject with RelaygateError. */
export interface Wifi {
  begin(ssid: string, passphrase: string): Promise<void>;
  end(): Promise<void>;
  reconnect(): Promise<void>;
}

/** The forms of IEEE 802.11. */
const Hotspot = Type.Object({
  ssid: Type.String({ minLength: 1, maxLength: 32 }),
  passphrase: Type.String({ pattern: '^[ -~]{8,63}$' }),
});
const Status = Type.Object({ words: Type.String({ maxLength: 12_000 }) });
const Nothing = Type.Object({});

/**
 * Begins and ends the page's own Wi-Fi, and tries the site's again. One change at a time: an end that comes during a begin
 * ends it. The site's is not tried during another change, which it could undo; its watch asks again.
 */
export function wifiActions(wifi: Wifi, mutex: Mutex): Actions {
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => mutex.runExclusive(work);
  return new Map<string, Action>([
    ['begin-hotspot', action(Hotspot, ({ ssid, passphrase }) => inTurn(() => wifi.begin(ssid, passphrase)))],
    ['end-hotspot', action(Nothing, () => inTurn(() => wifi.end()))],
    ['reconnect', action(Nothing, async () => (mutex.isLocked() ? undefined : inTurn(() => wifi.reconnect())))],
  ]);
}

/** Writes relaygate-status.txt on the boot partition. `say`: resolves with whether it had to be written. */
export function statusActions(say: (words: string) => Promise<boolean>): Actions {
  return new Map([['say', action(Status, ({ words }) => say(words))]]);
}
