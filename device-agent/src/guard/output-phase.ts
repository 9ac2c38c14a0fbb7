/** What follows from the phase of an output. */
import type { OutputState } from '@relaygate/shared';
import type { Output, OutputRules, Phase } from './output-types';

/** 1 while the relay is energised, as far as the guard knows; null: unknown. */
export function stateOf(output: Output): OutputState | null {
  switch (output.phase) {
    case 'inactive':
    case 'starting-pulse':
      return 0;
    case 'active':
    case 'saving-off':
    case 'saving-on':
    case 'looking-at-pulse':
    case 'pulsing':
    case 'extending':
      return 1;
    case 'switching':
      return output.wasActive ? 1 : 0;
    case 'saving-same':
    case 'looking':
      return output.active ? 1 : 0;
    case 'releasing':
      return output.state;
    case 'unknown':
    case 'waiting':
    case 'stuck':
      return null;
    default:
      return output satisfies never;
  }
}

/** The mark that an output which is still on was found so. */
export function uncommandedOf(output: Output): { isOnUncommanded?: true } {
  return 'isOnUncommanded' in output ? { isOnUncommanded: true } : {};
}

/** Whether a command can begin; else it waits for the one before it. */
export function isSettled(output: Output): boolean {
  const { phase } = output;
  if (phase === 'waiting') return output.until !== 'interlock-cleared';
  return phase === 'inactive' || phase === 'active' || phase === 'pulsing' || phase === 'stuck';
}

/** Whether its policy wants the output on, and it is not on yet. */
export function isTurningOn(output: Output): boolean {
  if (output.phase === 'waiting') return output.active;
  return 'failures' in output && output.failures !== undefined;
}

/**
 * Whether the output is going off: its former state must not be remembered any more, although its edge is still to come.
 */
export function isGoingOff(output: Output): boolean {
  const { phase } = output;
  return phase === 'saving-off' || phase === 'releasing' || (phase === 'switching' && !output.active);
}

/** How often the board has failed to bring the output where its policy wants it. */
export function failuresOf(output: Output): number {
  return ('failures' in output ? output.failures : undefined) ?? 0;
}

/** Whether a next try was due when a command began; it waits again if the command moves nothing. */
export function isDeferred(output: Output): boolean {
  // An order that is out decides by its answer.
  if (output.phase === 'switching' && output.isOrdered) return false;
  return 'deferred' in output && output.deferred !== undefined;
}

/** The same output, and only a command brings it on again. */
export function staysOff(output: Output): Output {
  if (output.phase === 'stuck' || output.phase === 'releasing') {
    const { failures, ...others } = output;
    return failures === undefined ? output : others;
  }
  if (output.phase === 'looking' || output.phase === 'switching') {
    const { deferred, ...others } = output;
    return deferred === undefined ? output : others;
  }
  return output;
}

/** Whether the output goes on again with a board that comes back: its policy wants that, or it durably was on. */
export function isToComeBack(output: Output, { mode, powerOn }: OutputRules): boolean {
  const isSame = output.phase === 'saving-same' || output.phase === 'looking';
  const isBack = output.phase === 'saving-on' && output.wasOn === true;
  const wasOn = output.phase === 'active' || (isSame && output.active) || isBack;
  const isCommanded = !uncommandedOf(output).isOnUncommanded;
  return (
    isTurningOn(output) || isDeferred(output) || (wasOn && isCommanded && mode === 'on-off' && powerOn === 'restore')
  );
}

/** When the pulse that runs began; null: none runs. */
export function pulseSinceOf(output: Output): number | null {
  const isRunning = output.phase === 'pulsing' || output.phase === 'looking-at-pulse' || output.phase === 'extending';
  return isRunning ? output.sinceMs : null;
}

const WITH_COMMAND: ReadonlySet<Phase> = new Set([
  'saving-off',
  'switching',
  'saving-on',
  'saving-same',
  'looking',
  'looking-at-pulse',
  'starting-pulse',
  'extending',
]);

/** Whether a command has begun and is not answered yet. */
export function hasCommand({ phase }: Output): boolean {
  return WITH_COMMAND.has(phase);
}
