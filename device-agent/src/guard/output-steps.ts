/** The steps of an output that several of its transitions share: what is to be done, and what is answered. */
import type { DeviceReason, OutputState } from '@relaygate/shared';
import { failuresOf, hasCommand, isTurningOn, stateOf, staysOff, uncommandedOf } from './output-phase';
import type { EventKind, Output, OutputEffect, OutputEvent, OutputRules, Phase } from './output-types';

/** How often a relay that cannot be switched off is tried again: stuck closed is the worst failure. */
export const RELEASE_RETRY_MS = 100;
/** How often an output that is to be restored is tried; then it stays off until the guard starts again. */
const RESTORE_TRIES = 3;
/** How long after a failed try the output is tried again. */
const RESTORE_RETRY_MS = 1_000;

/** A pulse runs already, and nothing moves. */
export const IGNORED: OutputEffect = { do: 'settle', outcome: 'executed', ignored: true };
export const ENDED_BY_STOP: OutputEffect = { do: 'settle', outcome: 'unproven', reason: 'ended-by-stop' };

export type Step = [Output, OutputEffect[]];
type InPhase<P extends Phase> = Extract<Output, { phase: P }>;
type On<K extends EventKind> = Extract<OutputEvent, { kind: K }>;
/** What comes of an event in a phase. */
export type Transition<P extends Phase, K extends EventKind> = (given: {
  output: InPhase<P>;
  event: On<K>;
  rules: OutputRules;
}) => Step;
type Command<P extends Phase> = Transition<P, 'command'>;
type Commanded<P extends Phase> = Parameters<Command<P>>[0];
type Settled = 'inactive' | 'active';

/** What a command asks for. State 0 moves no impulse output, and an on-off output has no pulses. */
export function commanded({ on, off, pulse }: Record<'on' | 'off' | 'pulse', Command<Settled>>): Command<Settled> {
  return (given) => {
    const { output, event, rules } = given;
    const { command } = event;
    if (rules.mode === 'impulse') return isOff(event) ? [output, [EXECUTED]] : pulse(given);
    if (command.action === 'pulse') return [output, [refused('not-an-impulse-output')]];
    const wantsOn = command.action === 'toggle' ? output.phase === 'inactive' : command.state === 1;
    return wantsOn ? on(given) : off(given);
  };
}

export function switchOn({ event, rules }: { event: { sinceEdgeMs: number }; rules: OutputRules }): Step {
  if (isTooSoon(event, rules)) return [{ phase: 'inactive' }, [refused('switched-too-soon')]];
  return [switchingTo(true), [{ do: 'drive', active: true, command: true }]];
}

export function switchOff({ output, rules }: { output: Output; rules: OutputRules }): Step {
  if (rules.powerOn !== 'restore') return driveOff(output, true);
  return [{ phase: 'saving-off', ...uncommandedOf(output) }, [{ do: 'save', active: false }]];
}

/** `isDurable`: what must be saved before the edge is saved. */
export function driveOff(output: Output, isDurable: boolean): Step {
  return [
    { ...switchingTo(false, isDurable), ...uncommandedOf(output) },
    [{ do: 'drive', active: false, command: true }],
  ];
}

/** The output is as asked for, as far as the guard knows. */
export function alreadySet({ output, event, rules }: Commanded<Settled>): Step {
  const active = output.phase === 'active';
  if (!event.canLook) return confirmSet(active, rules);
  return [{ phase: 'looking', active, ...uncommandedOf(output) }, [{ do: 'look' }]];
}

export function confirmSet(active: boolean, rules: OutputRules): Step {
  if (rules.powerOn !== 'restore') return [settledAt(active), [{ do: 'settle', outcome: 'already-set' }]];
  // I8: an earlier save may have failed.
  return [{ phase: 'saving-same', active }, [{ do: 'save', active }]];
}

export function startPulse({ output, event, rules }: Commanded<Settled>): Step {
  if (isTooSoon(event, rules)) return [output, [refused('switched-too-soon')]];
  const { pulseMs } = rules;
  return [{ phase: 'starting-pulse', pulseMs }, [{ do: 'drive', active: true, command: true, pulseMs }]];
}

/** During a pulse nothing moves unless it is to be extended: that is `executed` too. */
export function pulseAgain({ output, event, rules }: Commanded<'pulsing'>): Step {
  const { sinceMs } = output;
  const { pulseMs, retrigger } = rules;
  if (isOff(event)) return [output, [EXECUTED]];
  if (retrigger === 'extend')
    return [
      { phase: 'extending', pulseMs, sinceMs, isOrdered: false, isOver: false },
      [{ do: 'drive', active: true, command: true, pulseMs }],
    ];
  return event.canLook ? [{ phase: 'looking-at-pulse', sinceMs }, [{ do: 'look' }]] : [output, [IGNORED]];
}

/** I4: the end is counted from the edge, or from the order that made the pulse longer. */
export function pulseFrom(
  { atMs }: On<'driven'>,
  { pulseMs, sinceMs = atMs }: { pulseMs: number; sinceMs?: number },
): Step {
  return [{ phase: 'pulsing', sinceMs }, [{ do: 'wait', delayMs: pulseMs, sinceMs: atMs }, EXECUTED]];
}

/**
 * Ends only the pulse that is named, because a late stop must not end the next one. `answers`: to the command that found it
 * running.
 */
export function stopPulse(
  output: InPhase<'pulsing' | 'looking-at-pulse' | 'extending'>,
  { sinceMs }: On<'stop'>,
  answers: OutputEffect[],
): Step {
  return output.sinceMs === sinceMs ? release(1, [{ do: 'stop-waiting' }, ...answers]) : [output, []];
}

/** A board that failed ends the pulse now. */
export function notExtended(output: Output, rules: OutputRules): Step {
  return release(null, [{ do: 'stop-waiting' }, ...failure(output, rules)]);
}

export function notSwitched(output: Output, rules: OutputRules): Step {
  if (!isTurningOn(output) || rules.powerOn !== 'restore') return release(null, failure(output, rules));
  // I5: one frame that fails must not take from the disk what is to be restored.
  return releaseAfter({ failures: failuresOf(output) + 1 }, [refused('board-failed')]);
}

/** `atMs`, I4: counted from the board's answer, so that a guard that hung since then tries again at once. */
export function notReleased({ failures }: InPhase<'releasing'>, answer?: { atMs: number }): Step {
  const since = answer === undefined ? {} : { sinceMs: answer.atMs };
  return [
    { phase: 'stuck', ...(failures === undefined ? {} : { failures }) },
    [{ do: 'wait', delayMs: RELEASE_RETRY_MS, ...since }],
  ];
}

export function switchingTo(active: boolean, isDurable = true): InPhase<'switching'> {
  return { phase: 'switching', active, wasActive: !active, isDurable, isOrdered: false, isPolicy: false };
}

export function settledAt(active: boolean): Output {
  return { phase: active ? 'active' : 'inactive' };
}

/** Towards inactive, after `before`. */
export function release(state: OutputState | null, before: OutputEffect[] = []): Step {
  return [{ phase: 'releasing', state }, [...before, { do: 'drive', active: false, command: false }]];
}

/** As `release`. If the board did not follow a policy, it is tried again, but not for ever. */
export function releaseAfter({ failures }: { failures?: number }, before: OutputEffect[] = []): Step {
  const [releasing, effects] = release(null, before);
  const isTriedAgain = failures !== undefined && failures < RESTORE_TRIES;
  return [{ ...releasing, ...(isTriedAgain ? { failures } : {}) }, effects];
}

/** Switches off by policy. If a command was about to switch off by itself, nothing has come of it: it is refused. */
export function policyOff(rules: OutputRules): Step {
  return release(1, [...forgetOn(rules), refused('policy-off')]);
}

/** The command has moved nothing. A next try that was due when it came goes on waiting, or comes now. */
export function movedNothing(output: InPhase<'switching' | 'looking'>, effects: OutputEffect[]): Step {
  if (output.deferred !== undefined) {
    const due: OutputEffect[] = output.isDue ? [{ do: 'wait', delayMs: 0 }] : [];
    return [untilNextTry(output.deferred), [...due, ...effects]];
  }
  return [stateOf(output) === 1 ? { phase: 'active', ...uncommandedOf(output) } : { phase: 'inactive' }, effects];
}

export function waitForNextTry(failures: number): Step {
  return [untilNextTry(failures), [{ do: 'wait', delayMs: RESTORE_RETRY_MS }]];
}

function untilNextTry(failures: number): Output {
  return { phase: 'waiting', active: true, until: 'next-try', failures };
}

/** The time is up, also for a next try that was due when a command came. */
export function noMoreTries(output: Output, rules: OutputRules): Step {
  const next = staysOff(output);
  return [next, next === output ? [] : forgetOn(rules)];
}

/** If its policy was about to bring the output on, it does not. */
export function unwanted(output: InPhase<'waiting'>, before: OutputEffect[] = []): Step {
  if (!output.active) return [output, []];
  // I4: a relay of the guard before may be closed.
  if (output.until === 'interlock-cleared') return release(null, before);
  if (output.until === 'next-try') return [{ phase: 'inactive' }, [...before, { do: 'stop-waiting' }]];
  return [{ ...output, active: false }, before];
}

/** No disk delays an edge towards off; a power cut must not bring "on" back all the same. */
export function forgetOn({ powerOn }: OutputRules): OutputEffect[] {
  return powerOn === 'restore' ? [{ do: 'save', active: false }] : [];
}

/** The board did not do it: the command is refused, and a power cut must not bring "on" back. */
export function failure(output: Output, rules: OutputRules): OutputEffect[] {
  return [...forgetOn(rules), ...(hasCommand(output) ? [refused('board-failed')] : [])];
}

export function hasWorked({ active }: On<'driven'>, wanted: boolean): boolean {
  return active === null || active === wanted;
}

export function notDriven({ kind, ...answer }: On<'not-driven'>): OutputEffect {
  return { do: 'settle', ...answer };
}

export function done(outcome: 'executed' | 'already-set', isDurable: boolean): OutputEffect {
  return isDurable ? { do: 'settle', outcome } : { do: 'settle', outcome: 'unproven', reason: 'state-not-saved' };
}

export function refused(reason: DeviceReason): OutputEffect {
  return { do: 'settle', outcome: 'refused', reason };
}

const EXECUTED: OutputEffect = { do: 'settle', outcome: 'executed' };

function isOff({ command }: On<'command'>): boolean {
  return command.action === 'set' && command.state === 0;
}

function isTooSoon({ sinceEdgeMs }: { sinceEdgeMs: number }, { minSwitchIntervalMs }: OutputRules): boolean {
  return sinceEdgeMs < minSwitchIntervalMs;
}
