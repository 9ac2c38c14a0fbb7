import type { Clock } from '@relaygate/shared';
import type { BoardLinePorts } from './board-line';
import type { Heartbeat } from './heartbeat';
import type { OutputCommandsPorts } from './output-commands';

/** What an output at work has of its guard. */
export interface OutputPorts extends BoardLinePorts, OutputCommandsPorts {
  /** Its timers may be late. */
  slackClock: Clock;
  saveState(numOutput: number, active: boolean): Promise<void>;
  /** A `restore` output is on since then, on the guard's clock, or not any more. */
  onSince(numOutput: number, sinceMs: number | null): void;
  onChange(): void;
  isBoardAway(): boolean;
  /** Outputs that wait for the board are to go where their policies want them. */
  putBack(): void;
  info(text: string): void;
  heartbeat(): Heartbeat;
}
