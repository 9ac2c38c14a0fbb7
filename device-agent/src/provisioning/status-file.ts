/** relaygate-status.txt: written only when its words change, because a card wears out and a PC may pull it at any time. */
import { STATUS_FILE } from '@relaygate/shared/site-settings';
import { type DeviceClock, wallTime } from '../runtime/wall-time';
import type { BootPartition } from './boot-partition';

const TIME_LINE = /^(Since|The clock) /;

/** Resolves with whether it was written. */
export type Say = (words: string) => Promise<boolean>;

export function statusWriter(boot: BootPartition, wallClock: DeviceClock): Say {
  return async (words) => {
    const before = await boot.read(STATUS_FILE);
    if (before !== null && wordsOf(before) === words) return false;
    // Line ends for a PC's editor.
    await boot.replace(STATUS_FILE, `${words}\n\n${timeLine(wallClock)}\n`.replaceAll('\n', '\r\n'));
    return true;
  };
}

function timeLine(wallClock: DeviceClock): string {
  const time = wallTime(wallClock);
  if (time === null) return 'The clock of the device was not set when this was written.';
  return `Since ${time.slice(0, 16).replace('T', ' ')} UTC.`;
}

function wordsOf(text: string): string {
  const lines = text.replaceAll('\r\n', '\n').trimEnd();
  const end = lines.lastIndexOf('\n\n');
  return end >= 0 && TIME_LINE.test(lines.slice(end + 2)) ? lines.slice(0, end) : lines;
}
