import type { Clock } from '@relaygate/shared';
import type { InputSettings } from '@relaygate/shared/device';
import type { RelayDriver } from '../../relay/relay-driver';
import type { Log } from '../../runtime/log';
import type { CommandOutcomes } from '../commands/command-outcomes';
import { levelNow } from '../commands/feedback';
import { delayOf } from '../commands/interlock';
import type { Listeners } from '../listeners';
import type { RunningOutput } from '../running-output';
import type { Inputs } from './inputs';
import type { OutputLimits } from './running-button';

/** How long a reading may take: a board on a bus reads its inputs between orders. */
const LOOK_MS = 1_000;
const GATHER_MS = 50;

export interface OpenInputsDeps {
  clock: Clock;
  slackClock: Clock;
  driver: RelayDriver;
  log: Log;
  listeners: Listeners;
  isClicking(): boolean;
  /** What the inputs mean. */
  inputs?: readonly InputSettings[];
}

/**
 * Opens the inputs, with buttons that switch these outputs; null: no input means anything, and none of their code is loaded
 * (I4).
 */
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
    read: (input) => levelNow(deps, input, LOOK_MS),
    limitsOf: (numOutput) => limitsOf(outputs, numOutput),
    isClicking: deps.isClicking,
    // Its outcome stands among the last commands.
    execute: (command) => outcomes.execute(command),
    onChange: gathered(slackClock, () => listeners.notify()),
    warn: (text) => log.warn(text),
  });
}

/** The limits of the output now; its interlock may make it wait for `interlockDelayMs`. */
function limitsOf(outputs: readonly RunningOutput[], numOutput: number): OutputLimits {
  const { mode = 'on-off', maxOnMs = 0, interlock = null } = outputs[numOutput]?.rules ?? {};
  const group = outputs.filter(({ rules }) => interlock !== null && rules.interlock === interlock);
  return { mode, maxOnMs, interlockDelayMs: delayOf(group.map(({ rules }) => rules)) };
}

/** One call for all changes within GATHER_MS, because each change sends all that the guard shows. */
function gathered(clock: Clock, run: () => void): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    clock.after(GATHER_MS, () => {
      isDue = false;
      run();
    });
  };
}
