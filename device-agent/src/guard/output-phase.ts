/** What follows from where an output is in its machine. */
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

/** To go with an output that is still on, and was found so. */
export function uncommandedOf(output: Output): { isOnUncommanded?: true } {
  return 'isOnUncommanded' in output ? { isOnUncommanded: true } : {};
}

/** Whether a command can begin; else it waits for the one before it. */
export function isSettled(output: Output): boolean {
  const { phase } = output;
  if (phase === 'waiting') return output.until !== 'interlock-cleared';
  return phase === 'inactive' || phase === 'active' || phase === 'pulsing' || phase === 'stuck';
}

/** Whether its policy wants it on, and it is not there yet. */
export function isTurningOn(output: Output): boolean {
  if (output.phase === 'waiting') return output.active;
  return 'failures' in output && output.failures !== undefined;
}

/** Whether it is being taken off: what it had before must not be remembered any more, although its edge is still to come. */
export function isGoingOff(output: Output): boolean {
  const { phase } = output;
  return phase === 'saving-off' || phase === 'releasing' || (phase === 'switching' && !output.active);
}

/** How often its board has not brought it to where its policy wants it. */
export function failuresOf(output: Output): number {
  return ('failures' in output ? output.failures : undefined) ?? 0;
}

/** Whether something waited for its next try until the command that has begun, and waits again if that moves nothing. */
export function isDeferred(output: Output): boolean {
  // An order that is out decides by its answer.
  if (output.phase === 'switching' && output.isOrdered) return false;
  return 'deferred' in output && output.deferred !== undefined;
}

/** The same, and nothing brings it on again but a command. */
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

/** Whether a board that comes back is to bring it on: its policy or what it durably was wants that. */
export function isToComeBack(output: Output, { mode, powerOn }: OutputRules): boolean {
  const isSame = output.phase === 'saving-same' || output.phase === 'looking';
  const wasOn = (output.phase === 'active' || (isSame && output.active)) && !uncommandedOf(output).isOnUncommanded;
  return isTurningOn(output) || isDeferred(output) || (wasOn && mode === 'on-off' && powerOn === 'restore');
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
