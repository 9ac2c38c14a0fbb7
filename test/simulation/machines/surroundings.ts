import type { Actions } from '@relaygate/server/actions';
import type { ActivityCounter } from '@relaygate/server/activity-counter';
import type { Secrets } from '@relaygate/server/files/secrets';
import type { SeededChance } from '../../support/chance/seeded-chance';
import type { Connection } from '../ports/connection';
import type { Store } from '../ports/store';
import type { Scheduler } from '../scheduler';
import type { History } from '../witnesses/history';
import type { LinkRecord } from '../witnesses/link-record';
import type { Identities } from './identities';
import type { Incarnation } from './incarnation';
import type { MachineClock } from './machine-clock';

/** What the parts of the world share. */
export interface Surroundings {
  readonly chance: SeededChance;
  readonly scheduler: Scheduler;
  readonly history: History;
  readonly store: Store;
  readonly identities: Identities;
  readonly secrets: Secrets;
  /** The latest life of each process. */
  readonly processes: Map<string, Incarnation>;
  readonly server: ServerSide;
  trace(line: () => string): void;
  /** What a program did wrong by itself. */
  uncaught(name: string, error: unknown): void;
}

/** A server that has been started. */
export interface OpenServer {
  readonly life: Incarnation;
  readonly actions: Actions;
  /** Being answered. */
  readonly requests: ActivityCounter;
  /** From then on it takes no new connections; null: it takes them. */
  stoppingSinceMs: number | null;
}

/** The server as devices and applications meet it. */
export interface ServerSide {
  readonly clock: MachineClock;
  epochMs(): number;
  /** What takes requests now. */
  readonly listening: OpenServer | null;
  accept(connection: Connection, link: LinkRecord): void;
}
