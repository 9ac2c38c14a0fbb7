import type { Clock } from '@relaygate/shared';
import type { RelayDriver } from '../relay/relay-driver';
import type { Log } from '../runtime/log';
import type { InterlockTurns } from './commands/interlock-turns';
import type { AdmissionChecks, OrderedCommand } from './commands/ordered-command';
import type { Heartbeat } from './heartbeat';

/** What an output at work has of its guard, and so has each of its parts. */
export interface OutputDeps extends AdmissionChecks {
  /** Its timers are not late. */
  clock: Clock;
  /** Its timers may be late: an exact timer would take the processor from a running pulse. */
  slackClock: Clock;
  driver: RelayDriver;
  log: Log;
  turns: InterlockTurns;
  /** Resolves when the journal holds that the command may have moved something. */
  recordStart(command: OrderedCommand): Promise<void>;
  saveState(numOutput: number, active: boolean): Promise<void>;
  heartbeat(): Heartbeat;
  /** A `restore` output is on since then, on the guard's clock, or not any more. */
  onSince(numOutput: number, sinceMs: number | null): void;
  /** What the guard shows has changed. */
  onChange(): void;
  isBoardAway(): boolean;
  /** Outputs that wait for the board are to go where their policies want them. */
  putBack(): void;
}
