import type { Clock, CommandConfirmation, Randomness, Resume } from '@relaygate/shared';
import type { Log } from '../log';
import type { HandshakeParts } from './handshake';
import type { HistorySaverParts } from './history-saver';
import type { LinkRegistry } from './link-registry';

/** What the owner of the links is told. */
export interface LinkEvents {
  linkUp(productLogin: string): void;
  linkLost(productLogin: string): void;
  /** True: it is news of the output, and not of a command that was told of before. */
  confirmed(productLogin: string, confirmation: CommandConfirmation): boolean;
  /** A report has come, and is being saved. */
  reported(productLogin: string): void;
  resumed(productLogin: string, bootId: string, resume: Resume): void;
}

export interface LinkSessionParts extends HandshakeParts, Pick<HistorySaverParts, 'historyBudgets'> {
  store: HandshakeParts['store'] & HistorySaverParts['store'];
  clock: Clock;
  randomness: Randomness;
  registry: LinkRegistry;
  events: LinkEvents;
  log: Log;
}
