import type { Clock } from '@relaygate/shared';
import type { Checkpoints } from '../audit/checkpoints';
import type { OutcomeRecorder } from '../commands/outcome-recorder';
import type { NodeMembership } from '../nodes/membership';
import type { DiskWatch } from './disk-watch';

/** Anybody may ask, and a probe is a durable write, so one probe answers all questions within this time. */
const PROBE_LIFE_MS = 1_000;

const PROBLEMS = {
  stopping: 'the server is stopping',
  'outcomes-waiting': 'outcomes of commands wait for the database',
  'database-unwritable': 'the database takes no writes',
  'disk-low': 'the disk of the data folder is nearly full',
  'no-lease': 'the server has no lease among those that share the database: it takes no links',
} as const;

/** What somebody should look at, though the server does its work. They never change. */
export type Warning = 'checkpoint-not-kept' | 'broker-away' | 'no-synchronous-standby';

export interface Problem {
  /** For programs. It never changes. */
  code: keyof typeof PROBLEMS;
  text: string;
}

export interface WriteProbe {
  /** Resolves when a write can be committed right now. */
  probe(): Promise<void>;
}

export interface ReadinessDeps {
  storage: WriteProbe;
  outcomes: Pick<OutcomeRecorder, 'healthy'>;
  checkpoints: Pick<Checkpoints, 'isNotKept'>;
  /** Undefined: free space is not watched. */
  disk: Pick<DiskWatch, 'isLow'> | undefined;
  state: { readonly leaving: boolean };
  node: Pick<NodeMembership, 'safeUntilMs'>;
  /** The way to other nodes; undefined if this server is the only one. */
  nodes: () => { readonly isConnected: boolean } | undefined;
  /** Undefined: the database has no standby by its nature. */
  hasSynchronousStandby: (() => Promise<boolean>) | undefined;
  clock: Clock;
}

/** What prevents the server from doing its work, for /readyz. */
export class Readiness {
  readonly #deps: ReadinessDeps;
  #standby: { atMs: number; isThere: Promise<boolean> } | undefined;
  #probe: { atMs: number; works: Promise<boolean> } | undefined;

  constructor(deps: ReadinessDeps) {
    this.#deps = deps;
  }

  async warnings(): Promise<Warning[]> {
    const { checkpoints, nodes } = this.#deps;
    const warnings: Warning[] = [];
    if (checkpoints.isNotKept) warnings.push('checkpoint-not-kept');
    if (nodes()?.isConnected === false) warnings.push('broker-away');
    if (!(await this.#isReplicated())) warnings.push('no-synchronous-standby');
    return warnings;
  }

  /** Empty when the server is ready. */
  async problems(): Promise<Problem[]> {
    const { state, outcomes, disk, node, clock } = this.#deps;
    const codes: (keyof typeof PROBLEMS)[] = [];
    if (state.leaving) codes.push('stopping');
    if (!outcomes.healthy) codes.push('outcomes-waiting');
    if (!(await this.#databaseWorks())) codes.push('database-unwritable');
    if (disk?.isLow) codes.push('disk-low');
    if (clock.nowMs() >= node.safeUntilMs) codes.push('no-lease');
    return codes.map((code) => ({ code, text: PROBLEMS[code] }));
  }

  /** True if the database does not tell: then it has a problem of its own. */
  #isReplicated(): Promise<boolean> {
    const { hasSynchronousStandby, clock } = this.#deps;
    if (!hasSynchronousStandby) return Promise.resolve(true);
    const nowMs = clock.nowMs();
    if (!this.#standby || nowMs - this.#standby.atMs >= PROBE_LIFE_MS) {
      this.#standby = { atMs: nowMs, isThere: hasSynchronousStandby().catch(() => true) };
    }
    return this.#standby.isThere;
  }

  #databaseWorks(): Promise<boolean> {
    const { storage, clock } = this.#deps;
    const nowMs = clock.nowMs();
    if (!this.#probe || nowMs - this.#probe.atMs >= PROBE_LIFE_MS) {
      const works = storage.probe().then(
        () => true,
        () => false,
      );
      this.#probe = { atMs: nowMs, works };
    }
    return this.#probe.works;
  }
}
