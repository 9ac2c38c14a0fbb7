/** relaygate-status.txt: written only when its words change, because a card wears out and a PC may pull it at any time. */
import { STATUS_FILE } from '@relaygate/shared/site-settings';
import { type DeviceClock, wallTime } from '../runtime/wall-time';
import type { BootPartition } from './boot-partition';

const TIME_LINE = /^(Since|The clock) /;

export class StatusFile {
  readonly #boot: BootPartition;
  readonly #wallClock: DeviceClock;

  constructor(boot: BootPartition, wallClock: DeviceClock) {
    this.#boot = boot;
    this.#wallClock = wallClock;
  }

  /** Resolves with whether it was written. */
  async say(words: string): Promise<boolean> {
    const before = await this.#boot.read(STATUS_FILE);
    if (before !== null && wordsOf(before) === words) return false;
    // Line ends for a PC's editor.
    await this.#boot.replace(STATUS_FILE, `${words}\n\n${this.#time()}\n`.replaceAll('\n', '\r\n'));
    return true;
  }

  #time(): string {
    const time = wallTime(this.#wallClock);
    if (time === null) return 'The clock of the device was not set when this was written.';
    return `Since ${time.slice(0, 16).replace('T', ' ')} UTC.`;
  }
}

function wordsOf(text: string): string {
  const lines = text.replaceAll('\r\n', '\n').trimEnd();
  const end = lines.lastIndexOf('\n\n');
  return end >= 0 && TIME_LINE.test(lines.slice(end + 2)) ? lines.slice(0, end) : lines;
}
