import { RelaygateError } from '@relaygate/shared/relaygate-error';
import { causeOf } from '../runtime/problem';
import { refused } from '../runtime/refused';
import { askHelper } from './ask-helper';

/** Longer than the helper takes (nmcli-hotspot.ts) and its program to start; relayctl waits for 15 s in all. */
const ANSWER_MS = 14_000;

/** The device's own Wi-Fi by `relaygate-helper wifi`, for an agent that may ask NetworkManager for nothing. */
export function helpedHotspot(socketPath: string) {
  const ask = async (type: string, body: object): Promise<void> => {
    try {
      await askHelper(socketPath, type, body, ANSWER_MS);
    } catch (cause) {
      if (cause instanceof RelaygateError) throw cause;
      throw refused('refused', 'wifi-failed', { problem: causeOf(cause) }, { cause });
    }
  };
  return {
    begin: (ssid: string, passphrase: string): Promise<void> => ask('begin-hotspot', { ssid, passphrase }),
    end: (): Promise<void> => ask('end-hotspot', {}),
  };
}
