/** The steps that several states of an output take: towards inactive, to an edge, and what is answered then. */
import type { DeviceReason, OutputState } from '@relaygate/shared';
import { deferredOf, hasCommand, isTurningOn, staysOff } from './output-phase';
import type { Output, OutputEffect, OutputEvent, OutputRules } from './output-types';

/** What is to be restored, and fails, stays off after so many tries, until the guard starts again. */
const RESTORE_TRIES = 3;
/** What is to be restored, and failed, is given so long after it has been put off. */
const RESTORE_RETRY_MS = 1_000;

export type Step = [Output, OutputEffect[]];
export type DriveEvent = Extract<OutputEvent, { kind: 'driven' | 'drive-failed' | 'not-driven' }>;

export function switchingTo(active: boolean, isDurable = true): Extract<Output, { phase: 'switching' }> {
  return { phase: 'switching', active, wasActive: !active, isDurable, isOrdered: false, isPolicy: false };
}

/** Towards inactive, after `before`. */
export function release(state: OutputState | null, before: OutputEffect[] = []): Step {
  return [{ phase: 'releasing', state }, [...before, { do: 'drive', active: false, command: false }]];
}

/** The same; after a policy that the board did not follow it is tried again, but not for ever. */
export function releaseAfter({ failures }: { failures?: number }): Step {
  const [, effects] = release(null);
  const isTriedAgain = failures !== undefined && failures < RESTORE_TRIES;
  return [{ phase: 'releasing', state: null, ...(isTriedAgain ? { failures } : {}) }, effects];
}

/** The command has moved nothing. What had waited for its next try when it came waits again. */
export function movedNothing(output: Output, before: Output, effects: OutputEffect[]): Step {
  const failures = deferredOf(output);
  return failures === null ? [before, effects] : waitForNextTry(failures, effects);
}

export function waitForNextTry(failures: number, effects: OutputEffect[] = []): Step {
  return [
    { phase: 'waiting', active: true, until: 'next-try', failures },
    [{ do: 'wait', delayMs: RESTORE_RETRY_MS }, ...effects],
  ];
}

/** Where its policy was to bring it on, it does so no more. An order that is out decides by its answer, and is not tried again. */
export function unwanted(output: Output): Step {
  if (!isTurningOn(output)) return [staysOff(output), []];
  if (output.phase === 'switching') return [{ ...switchingTo(true), isPolicy: true }, []];
  if (output.phase !== 'waiting') return [staysOff(output), []];
  // I4: a relay of the guard before may be closed.
  if (output.until === 'interlock-cleared') return release(null);
  if (output.until === 'next-try') return [{ phase: 'inactive' }, [{ do: 'stop-waiting' }]];
  return [{ ...output, active: false }, []];
}

export function isAtRest({ phase }: Output): boolean {
  return phase === 'inactive' || phase === 'releasing' || phase === 'stuck';
}

/** The board did not do it: the command is refused, and a power cut must not bring "on" back. */
export function failure(output: Output, rules: OutputRules): OutputEffect[] {
  const effects: OutputEffect[] = [];
  if (rules.powerOn === 'restore') effects.push({ do: 'save', active: false });
  if (hasCommand(output)) effects.push(refused('board-failed'));
  return effects;
}

/** The edge is out, or comes with the release; whether a power cut undoes it nobody knows. */
export function interrupted(output: Output): OutputEffect[] {
  return hasCommand(output) ? [done('executed', false)] : [];
}

/** Of the command that found a pulse running which somebody ends, or was about to make it longer. */
export function stopped(output: Output): OutputEffect[] {
  if (output.phase === 'looking-at-pulse') return [refused('stopped')];
  if (output.phase !== 'extending') return [];
  return [output.isOrdered ? { do: 'settle', outcome: 'unproven', reason: 'ended-by-stop' } : refused('stopped')];
}

export function hasWorked(event: DriveEvent, active: boolean): event is Extract<DriveEvent, { kind: 'driven' }> {
  return event.kind === 'driven' && (event.active === null || event.active === active);
}

export function notDriven({ outcome, reason }: Extract<DriveEvent, { kind: 'not-driven' }>): OutputEffect {
  return { do: 'settle', outcome, ...(reason === undefined ? {} : { reason }) };
}

export function done(outcome: 'executed' | 'already-set', isDurable: boolean): OutputEffect {
  return isDurable ? { do: 'settle', outcome } : { do: 'settle', outcome: 'unproven', reason: 'state-not-saved' };
}

export function refused(reason: DeviceReason): OutputEffect {
  return { do: 'settle', outcome: 'refused', reason };
}
