/** relaygate-status.txt: written only when its words change, for a card wears out and a PC may pull it at any time. */
import { isoTime, type WallClock } from '@relaygate/shared';
import { STATUS_FILE } from '@relaygate/shared/site-settings';
import { isSetTime } from '../program/wall-time';
import type { BootPartition } from './boot-partition';

const TIME_LINE = /\r?\n\r?\n(Since .*|The clock .*)\r?\n?$/;

export class StatusFile {
  readonly #boot: BootPartition;
  readonly #wallClock: WallClock;

  constructor(boot: BootPartition, wallClock: WallClock) {
    this.#boot = boot;
    this.#wallClock = wallClock;
  }

  /** Resolves with whether it was written. */
  async say(words: string): Promise<boolean> {
    const before = await this.#boot.read(STATUS_FILE);
    if (before !== null && wordsOf(before) === words) return false;
    // Line ends as a PC's editor has them.
    await this.#boot.replace(STATUS_FILE, `${words}\n\n${this.#time()}\n`.replaceAll('\n', '\r\n'));
    return true;
  }

  #time(): string {
    const epochMs = this.#wallClock.epochMs();
    if (!isSetTime(epochMs)) return 'The clock of the device was not set when this was written.';
    return `Since ${isoTime(epochMs).slice(0, 16).replace('T', ' ')} UTC.`;
  }
}

function wordsOf(text: string): string {
  return text.replace(TIME_LINE, '').replaceAll('\r\n', '\n');
}
