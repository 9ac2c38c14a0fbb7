import type { Clock } from '@relaygate/shared';
import { JOURNAL, STATE } from '../../../support/device/guard-in-memory';
import type { MemoryFiles } from '../../../support/device/memory-files';
import type { GuardMove } from './guard-moves';

const JOURNAL_HANGS_MS = 300;

/** The disk under files in memory: one of them cannot be written, or not for a while. */
export class FailingDisk {
  readonly #files: MemoryFiles;
  readonly #clock: Clock;
  #endHang: () => void = () => {};

  constructor(files: MemoryFiles, clock: Clock) {
    this.#files = files;
    this.#clock = clock;
  }

  enter(mode: Extract<GuardMove, { move: 'disk' }>['mode']): void {
    this.#files.failing.clear();
    this.#files.slow.clear();
    this.#endHang();
    switch (mode) {
      case 'works':
        break;
      case 'journal-fails':
        this.#files.failing.set(JOURNAL, 'ENOSPC');
        break;
      case 'journal-hangs': {
        const written = new Promise<void>((resolve) => void this.#clock.after(JOURNAL_HANGS_MS, resolve));
        this.#files.slow.set(JOURNAL, written);
        break;
      }
      case 'state-fails':
        this.#files.failing.set(STATE, 'ENOSPC');
        break;
      case 'state-hangs': {
        const written = new Promise<void>((resolve) => {
          this.#endHang = resolve;
        });
        this.#files.slow.set(STATE, written);
        break;
      }
      default:
        mode satisfies never;
    }
  }
}
