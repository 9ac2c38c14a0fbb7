import type { Clock } from '@relaygate/shared';
import type { Checkpoints } from '../audit/checkpoints';
import type { OutcomeRecorder } from '../commands/outcome-recorder';
import type { DiskWatch } from './disk-watch';

/** Anybody may ask, and a probe is a durable write, so one probe answers all questions within this time. */
const PROBE_LIFE_MS = 1_000;

const PROBLEMS = {
  stopping: 'the server is stopping',
  'outcomes-waiting': 'outcomes of commands wait for the database',
  'database-unwritable': 'the database takes no writes',
  'disk-low': 'the disk of the data folder is nearly full',
} as const;

export interface Problem {
  /** For programs. It never changes. */
  code: keyof typeof PROBLEMS;
  text: string;
}

export interface WriteProbe {
  /** Resolves when a write can be committed right now. */
  probe(): Promise<void>;
}

/** What prevents the server from doing its work, for /readyz. */
export class Readiness {
  readonly #storage: WriteProbe;
  readonly #outcomes: Pick<OutcomeRecorder, 'healthy'>;
  readonly #clock: Clock;
  readonly #state: { readonly stopping: boolean };
  readonly #checkpoints: Pick<Checkpoints, 'isNotKept'>;
  readonly #disk: Pick<DiskWatch, 'isLow'> | undefined;
  #probe: { atMs: number; works: Promise<boolean> } | undefined;

  constructor(
    storage: WriteProbe,
    outcomes: Pick<OutcomeRecorder, 'healthy'>,
    clock: Clock,
    state: { readonly stopping: boolean },
    checkpoints: Pick<Checkpoints, 'isNotKept'>,
    disk: Pick<DiskWatch, 'isLow'> | undefined,
  ) {
    this.#storage = storage;
    this.#outcomes = outcomes;
    this.#clock = clock;
    this.#state = state;
    this.#checkpoints = checkpoints;
    this.#disk = disk;
  }

  /** What somebody should look at, though the server does its work. Codes for programs; they never change. */
  get warnings(): 'checkpoint-not-kept'[] {
    return this.#checkpoints.isNotKept ? ['checkpoint-not-kept'] : [];
  }

  /** Empty when the server is ready. */
  async problems(): Promise<Problem[]> {
    const codes: (keyof typeof PROBLEMS)[] = [];
    if (this.#state.stopping) codes.push('stopping');
    if (!this.#outcomes.healthy) codes.push('outcomes-waiting');
    if (!(await this.#databaseWorks())) codes.push('database-unwritable');
    if (this.#disk?.isLow) codes.push('disk-low');
    return codes.map((code) => ({ code, text: PROBLEMS[code] }));
  }

  #databaseWorks(): Promise<boolean> {
    const nowMs = this.#clock.nowMs();
    if (!this.#probe || nowMs - this.#probe.atMs >= PROBE_LIFE_MS) {
      const works = this.#storage.probe().then(
        () => true,
        () => false,
      );
      this.#probe = { atMs: nowMs, works };
    }
    return this.#probe.works;
  }
}
