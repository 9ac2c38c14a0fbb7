import type { Clock } from '@relaygate/shared';
import type { BoardSettings, InputSettings } from '@relaygate/shared/device';
import type { RelayDriver } from '../relay/relay-driver';
import type { Faults } from '../runtime/faults';
import type { Log } from '../runtime/log';
import type { Journal } from './journal';
import type { Listeners } from './listeners';
import type { StateFile } from './state-file';

export interface GuardDeps {
  /** CLOCK_MONOTONIC, with timers that are not late. */
  clock: Clock;
  /** The same time, with timers that may be late. */
  slackClock: Clock;
  driver: RelayDriver;
  journal: Journal;
  stateFile: StateFile;
  log: Log;
  listeners: Listeners;
  faults: Faults;
  bootId: string;
  /** What `driver` drives, as the status shows it. */
  board?: BoardSettings;
  /** What its inputs mean. */
  inputs?: readonly InputSettings[];
}
