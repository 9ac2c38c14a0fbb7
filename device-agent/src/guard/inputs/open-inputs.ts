import type { Clock } from '@relaygate/shared';
import type { InputSettings } from '@relaygate/shared/device';
import type { CommandOutcomes } from '../commands/command-outcomes';
import { levelNow } from '../commands/feedback';
import { delayOf } from '../commands/interlock';
import type { OutputDeps } from '../output-deps';
import type { RunningOutput } from '../running-output';
import { Inputs } from './inputs';
import type { OutputLimits } from './running-button';

/** How long a reading may take: a board on a bus reads its inputs between orders. */
const LOOK_MS = 1_000;
const GATHER_MS = 50;

/** Opens the inputs that mean something, with buttons that switch these outputs. */
export function openInputs(
  settings: readonly InputSettings[],
  outputs: readonly RunningOutput[],
  outcomes: Pick<CommandOutcomes, 'execute'>,
  deps: OutputDeps,
): Inputs {
  const { clock, slackClock, log, isClicking, onChange } = deps;
  return new Inputs(settings, {
    clock,
    slackClock,
    read: (input) => levelNow(deps, input, LOOK_MS),
    limitsOf: (numOutput) => limitsOf(outputs, numOutput),
    isClicking,
    // Its outcome stands among the last commands.
    execute: (command) => outcomes.execute(command),
    onChange: gathered(slackClock, onChange),
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
