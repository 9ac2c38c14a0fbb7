import type { Clock } from '@relaygate/shared';
import type { OutputCommandsDeps } from './commands/output-commands';
import type { BoardLineDeps } from './effects/board-line';
import type { OutputEffectsDeps } from './effects/output-effects';
import type { Heartbeat } from './heartbeat';

/** What an output at work has of its guard. */
export interface OutputDeps extends BoardLineDeps, OutputCommandsDeps, OutputEffectsDeps {
  /** Its timers may be late. */
  slackClock: Clock;
  /** A `restore` output is on since then, on the guard's clock, or not any more. */
  onSince(numOutput: number, sinceMs: number | null): void;
  onChange(): void;
  isBoardAway(): boolean;
  /** Outputs that wait for the board are to go where their policies want them. */
  putBack(): void;
  info(text: string): void;
  heartbeat(): Heartbeat;
}
