import type { RemovableFiles } from '@relaygate/device-agent/files/files';
import type { SeededChance } from '../../support/chance/seeded-chance';
import type { Incarnation, PortTiming } from '../machines/incarnation';
import { Layers } from './layers';

/** What the disk does while a fault lasts. */
export type DiskMode =
  | 'works'
  | 'fails'
  | 'slow'
  /** Memory is short: what is written to the tmpfs has to wait. */
  | 'journal-slow';

/** `isDurable`: a power cut leaves it so. */
type DiskListener = (path: string, isDurable: boolean) => void;
type RefusalListener = (path: string) => void;
/** `isWritten`: it is in the file now; before, it is to be. */
type JournalListener = (text: string, isWritten: boolean) => void;

/** Lost with the power, like /run. */
export const TMPFS = '/run/';
export const STATE_PATH = '/data/state.json';
/** What a write takes at most, unless it is slow. */
const TMPFS_MS = 0.05;
const CARD_MS = 4;
const READ_MS = 0.1;

/**
 * The files of one machine. What is written shows at once and is durable only once it is synced; a power cut in
 * between brings the old one back. A process that dies while it appends, or has no space for it, may leave half of it.
 */
export class Disk {
  readonly #chance: SeededChance;
  readonly #shown = new Map<string, string>();
  readonly #durable = new Map<string, string>();
  /** How long a file was that ends with what is left of a write that it has refused. */
  readonly #refusedFrom = new Map<string, number>();
  readonly #onJournal: JournalListener;
  readonly #onChange: DiskListener;
  readonly #onRefusal: RefusalListener;
  readonly faults = new Layers<DiskMode>('works');

  /** `onJournal`: sees what is written to the tmpfs; `onChange`: hears of a file that has become another one, or is gone; `onRefusal`: of one that was to. */
  constructor(
    chance: SeededChance,
    onJournal: JournalListener,
    onChange: DiskListener = () => {},
    onRefusal: RefusalListener = () => {},
  ) {
    this.#chance = chance;
    this.#onJournal = onJournal;
    this.#onChange = onChange;
    this.#onRefusal = onRefusal;
  }

  textOf(path: string): string | null {
    return this.#shown.get(path) ?? null;
  }

  /** What a power cut would leave. */
  durableTextOf(path: string): string | null {
    return this.#durable.get(path) ?? null;
  }

  /** Without what is left of a write that was refused: whoever writes it again does not know of that. */
  confirmedTextOf(path: string): string | null {
    return this.durableTextOf(path)?.slice(0, this.#refusedFrom.get(path)) ?? null;
  }

  /** By hand, and synced. */
  put(path: string, text: string | null): void {
    for (const files of [this.#shown, this.#durable]) {
      if (text === null) files.delete(path);
      else files.set(path, text);
    }
  }

  cutPower(): void {
    this.#shown.clear();
    for (const path of [...this.#durable.keys()]) if (path.startsWith(TMPFS)) this.#durable.delete(path);
    for (const [path, text] of this.#durable) this.#shown.set(path, text);
  }

  files(owner: Incarnation): RemovableFiles {
    const change = (path: string, apply: (files: Map<string, string>) => void): Promise<void> =>
      this.#change(owner, path, apply);
    return {
      read: (path) =>
        owner.call(
          () => this.#timing(READ_MS),
          () => this.textOf(path),
        ),
      // Where nothing is left to be written, a full or slow disk does it all the same.
      sync: async (path) => {
        const isClean = (): boolean => this.textOf(path) === this.durableTextOf(path);
        await owner.call(
          () => this.#timing(isClean() ? READ_MS : CARD_MS),
          () => {
            if (isClean()) return;
            this.#failPerhaps(path);
            this.#durable.set(path, this.textOf(path) ?? '');
            this.#refusedFrom.delete(path);
            this.#onChange(path, true);
          },
        );
      },
      replace: async (path, text, options) => {
        this.#saw(path, text, false);
        await options?.beforeCommit?.();
        await change(path, (files) => {
          files.set(path, text);
          this.#saw(path, text, true);
        });
      },
      append: (path, text) => {
        this.#saw(path, text, false);
        let isOver = false;
        // The system writes a line at once; a seed in four cuts it all the same.
        const cutPerhaps = (): void => {
          if (isOver || this.#chance.fraction() < 0.75) return;
          this.put(path, (this.textOf(path) ?? '') + text.slice(0, Math.floor(text.length / 2)));
        };
        owner.onDeath(cutPerhaps);
        return owner.call(
          () => this.#timing(path.startsWith(TMPFS) ? TMPFS_MS : CARD_MS),
          () => {
            if (this.#isFull(path)) {
              const before = this.textOf(path) ?? '';
              if (!this.#refusedFrom.has(path)) this.#refusedFrom.set(path, before.length);
              cutPerhaps();
            }
            isOver = true;
            this.#failPerhaps(path);
            this.#refusedFrom.delete(path);
            this.put(path, (this.textOf(path) ?? '') + text);
            this.#saw(path, text, true);
            this.#onChange(path, true);
          },
        );
      },
      quarantine: async (path) => {
        const aside = `${path}.corrupt-1`;
        await change(path, (files) => {
          files.set(aside, files.get(path) ?? '');
          files.delete(path);
        });
        return aside;
      },
      remove: (path, isIt = () => true) =>
        change(path, (files) => {
          const text = files.get(path);
          if (text !== undefined && isIt(text)) files.delete(path);
        }),
    };
  }

  async #change(owner: Incarnation, path: string, apply: (files: Map<string, string>) => void): Promise<void> {
    const scale = path.startsWith(TMPFS) ? TMPFS_MS : CARD_MS;
    await owner.call(
      () => this.#timing(scale),
      () => {
        this.#failPerhaps(path);
        apply(this.#shown);
        this.#onChange(path, false);
      },
    );
    await owner.call(
      () => this.#timing(scale),
      () => {
        this.#failPerhaps(path);
        apply(this.#durable);
        this.#refusedFrom.delete(path);
        this.#onChange(path, true);
      },
    );
  }

  #saw(path: string, text: string, isWritten: boolean): void {
    if (path.startsWith(TMPFS)) this.#onJournal(text, isWritten);
  }

  #failPerhaps(path: string): void {
    if (!this.#isFull(path)) return;
    this.#onRefusal(path);
    throw new Error('no space left on device');
  }

  #isFull(path: string): boolean {
    return this.faults.top === 'fails' && !path.startsWith(TMPFS);
  }

  #timing(mostMs: number): PortTiming {
    const { top: mode } = this.faults;
    const isSlow = mostMs > 1 ? mode === 'slow' : mode === 'journal-slow' && mostMs === TMPFS_MS;
    const slowMs = isSlow ? this.#chance.fraction() * 1_500 : 0;
    return { beforeMs: this.#chance.fraction() * mostMs + slowMs, afterMs: this.#chance.fraction() * 0.05 };
  }
}
