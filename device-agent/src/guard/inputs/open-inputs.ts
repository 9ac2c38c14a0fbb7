import type { Clock } from '@relaygate/shared';
import type { InputSettings } from '@relaygate/shared/device';
import type { RelayDriver } from '../../relay/relay-driver';
import type { Log } from '../../runtime/log';
import type { CommandOutcomes } from '../commands/command-outcomes';
import { levelNow } from '../commands/feedback';
import type { Listeners } from '../listeners';
import type { RunningOutput } from '../running-output';
import type { Inputs } from './inputs';

export interface OpenInputsDeps {
  clock: Clock;
  slackClock: Clock;
  driver: RelayDriver;
  log: Log;
  listeners: Listeners;
  /** What they mean. */
  inputs?: readonly InputSettings[];
}

/** The inputs, with buttons that switch these outputs; null: none means anything. Then no code of theirs is loaded (I4). */
export function openInputs(
  outputs: readonly RunningOutput[],
  outcomes: Pick<CommandOutcomes, 'execute'>,
  deps: OpenInputsDeps,
): Inputs | null {
  const { inputs: settings = [], clock, slackClock, listeners, log } = deps;
  if (settings.length === 0) return null;
  // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
  const { Inputs }: typeof import('./inputs') = require('./inputs');
  return new Inputs(settings, {
    clock,
    slackClock,
    read: (input) => levelNow(deps, input),
    limitsOf: (numOutput) => limitsOf(outputs, numOutput),
    // What became of it stands among the last commands.
    execute: (command) => void outcomes.execute(command),
    onChange: () => listeners.tell(),
    warn: (text) => log.warn(text),
  });
}

/** How long the output may be on, and how long its interlock may make it wait. */
function limitsOf(outputs: readonly RunningOutput[], numOutput: number): { maxOnMs: number; interlockDelayMs: number } {
  const { maxOnMs = 0, interlock = null } = outputs[numOutput]?.rules ?? {};
  const group = outputs.filter(({ rules }) => interlock !== null && rules.interlock === interlock);
  return { maxOnMs, interlockDelayMs: Math.max(0, ...group.map(({ rules }) => rules.interlockDelayMs)) };
}
