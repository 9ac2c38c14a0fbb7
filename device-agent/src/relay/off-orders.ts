/**
 * What switches a board off without its guard: lines of text for the shell script that systemd runs when the guard has
 * ended in whatever way (hardware/package/files/usr/lib/relaygate/bin/outputs-off), because a relay does not go off by
 * itself then (I4).
 *
 *     gpio <TAB> 17=0 27=1 <TAB> label of the chip, empty: that of the header
 *     sysfs <TAB> the same
 *     serial <TAB> port <TAB> baud <TAB> parity <TAB> frames <TAB> ms to wait for an answer <TAB> the same once all were asked
 *
 * Frames are in hex, a space between them: `FRAME`; `FRAME:ANSWER`; or `FRAME:ANSWER:FRAME,FRAME...` with what is sent
 * instead if something else is answered.
 */

import type { OutputWiring } from './relay-board';

export const offOrder = (...parts: string[]): string => `${parts.join('\t')}\n`;

export const inHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

export function inactiveLines(lines: readonly number[], outputs: readonly OutputWiring[]): string {
  return lines
    .flatMap((offset, n) => {
      const output = outputs[n];
      return output === undefined ? [] : [`${offset}=${output.activeLevel === 'low' ? 1 : 0}`];
    })
    .join(' ');
}
