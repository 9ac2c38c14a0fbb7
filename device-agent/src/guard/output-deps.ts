import type { Clock } from '@relaygate/shared';
import type { RelayDriver } from '../relay/relay-driver';
import type { FeedbackWatchDeps } from './commands/feedback-watch';
import type { OutputCommandsDeps } from './commands/output-commands';
import type { BoardLineDeps } from './effects/board-line';
import type { OutputEffectsDeps } from './effects/output-effects';
import type { LimitWatchDeps } from './limit-watch';

/** What an output at work has of its guard. */
export interface OutputDeps
  extends BoardLineDeps,
    FeedbackWatchDeps,
    LimitWatchDeps,
    OutputCommandsDeps,
    OutputEffectsDeps {
  clock: Clock;
  driver: RelayDriver;
  isBoardAway(): boolean;
  /** Outputs that wait for the board are to go where their policies want them. */
  putBack(): void;
}
