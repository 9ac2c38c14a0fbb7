import type { Clock, Randomness, Resume, WallClock } from '@relaygate/shared';
import type { Log } from '../log';
import type { RefusalLog } from '../refusal-log';
import type { WriteBudgets } from '../write-budgets';
import type { DeviceConfirmation } from './frame-version';
import type { HistorySaverDeps } from './history-saver';
import type { HandshakeDeps } from './link-opening';
import type { LinkRegistry } from './link-registry';
import type { LinkSettler } from './link-settler';

/** What the owner of the links is told. */
export interface LinkEvents {
  linkUp(productLogin: string): void;
  linkLost(productLogin: string): void;
  confirmed(productLogin: string, confirmation: DeviceConfirmation): void;
  resumed(productLogin: string, bootId: string, resume: Resume): void;
}

export interface LinkSessionDeps extends HandshakeDeps {
  store: HandshakeDeps['store'] & HistorySaverDeps['store'];
  clock: Clock;
  wallClock: WallClock;
  randomness: Randomness;
  registry: LinkRegistry;
  budgets: Pick<WriteBudgets, 'links' | 'reports' | 'history'>;
  settler: LinkSettler;
  events: LinkEvents;
  /** Of links that are refused. */
  refusals: RefusalLog;
  log: Log;
}
