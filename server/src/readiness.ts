import type { Clock } from '@relaygate/shared';
import type { OutcomeRecorder } from './commands/outcome-recorder';
import type { Storage } from './storage/storage';

/** A probe is a durable write, and anybody may ask: so one answer serves all who ask within this time. */
const PROBE_LIFE_MS = 1_000;

/** What keeps the server from doing its work, for /readyz. */
export class Readiness {
  readonly #storage: Pick<Storage, 'probe'>;
  readonly #outcomes: Pick<OutcomeRecorder, 'healthy'>;
  readonly #clock: Clock;
  readonly #state: { readonly stopping: boolean };
  #probe: { atMs: number; works: Promise<boolean> } | undefined;

  constructor(
    storage: Pick<Storage, 'probe'>,
    outcomes: Pick<OutcomeRecorder, 'healthy'>,
    clock: Clock,
    state: { readonly stopping: boolean },
  ) {
    this.#storage = storage;
    this.#outcomes = outcomes;
    this.#clock = clock;
    this.#state = state;
  }

  /** Empty when the server is ready. */
  async problems(): Promise<string[]> {
    const problems: string[] = [];
    if (this.#state.stopping) problems.push('the server is stopping');
    if (!this.#outcomes.healthy) problems.push('outcomes of commands wait for the database');
    if (!(await this.#databaseWorks())) problems.push('the database takes no writes');
    return problems;
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
