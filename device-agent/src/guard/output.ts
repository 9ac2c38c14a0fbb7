/**
 * One output as a pure state machine: what happens to it comes in as events, what must be done goes out as effects.
 * `RunningOutput` feeds it one command at a time and carries the effects out.
 *
 * I4: the end of a pulse is timed from its leading edge and tried until the board has done it. I5: an output set to
 * `restore` saves "off" before its edge and "on" after it, and its answer waits for both; I8: so does the answer that
 * it is so already. Failures end inactive.
 */
import type { DeviceReason, OutputState } from '@relaygate/shared';
import {
  failuresOf,
  hasCommand,
  isComing,
  isSettled,
  type Output,
  type OutputEffect,
  type OutputEvent,
  type OutputRules,
  stateOf,
  staysOff,
} from './output-phase';

/** A relay that cannot be switched off is tried again this often: stuck closed is the worst failure. */
export const RELEASE_RETRY_MS = 100;
/** What is to be restored, and failed, is given so long after it has been put off. */
export const RESTORE_RETRY_MS = 1_000;
/** Then it stays off, until the guard starts again. */
const RESTORE_TRIES = 3;

type Step = [Output, OutputEffect[]];

export function step(output: Output, event: OutputEvent, rules: OutputRules): Step {
  switch (event.kind) {
    case 'start':
      return event.active
        ? [
            { ...switchingTo(true), isPolicy: true, failures: failuresOf(output) },
            [{ do: 'drive', active: true, command: false }],
          ]
        : release(null);
    case 'defer':
      return [{ phase: 'waiting', active: event.active, until: event.until, failures: failuresOf(output) }, []];
    case 'release':
      return isAtRest(output)
        ? [staysOff(output), []]
        : release(stateOf(output), [{ do: 'stop-waiting' }, ...interrupted(output)]);
    case 'board-lost':
      return stepBoardLost(output, rules);
    case 'command':
      return stepCommand(output, event, rules);
    case 'driven':
    case 'drive-failed':
    case 'not-driven':
      return stepDriven(output, event, rules);
    case 'saved':
    case 'save-failed':
      return stepSaved(output, event.kind);
    case 'ordered': {
      const isTold = output.phase === 'extending' || output.phase === 'switching';
      return [isTold ? { ...output, isOrdered: true } : output, []];
    }
    case 'limit':
      return stepLimit(output, rules);
    case 'due':
      return stepDue(output);
    default:
      return event satisfies never;
  }
}

/** What is to be restored comes back as it durably was; I4, I5: nothing else does, above all no pulse. */
function stepBoardLost(output: Output, rules: OutputRules): Step {
  // The power-on policy has yet to speak.
  if (output.phase === 'unknown') return [output, []];
  const wasOn = output.phase === 'active' || (output.phase === 'saving-same' && output.active);
  const active = isComing(output) || (wasOn && rules.mode === 'on-off' && rules.powerOn === 'restore');
  const answer = active ? [refused('board-failed')] : failure(output, rules);
  const effects: OutputEffect[] = [{ do: 'stop-waiting' }, ...(hasCommand(output) ? answer : [])];
  return [{ phase: 'waiting', active, until: 'board-back' }, effects];
}

type CommandEvent = Extract<OutputEvent, { kind: 'command' }>;

function stepCommand(output: Output, event: CommandEvent, rules: OutputRules): Step {
  if (!isSettled(output)) throw new Error(`a command came while the output was ${output.phase}`);
  if (output.phase === 'stuck') return [output, [refused('board-failed')]];
  if (output.phase === 'waiting') {
    if (output.until !== 'next-try') return [output, [refused('board-away')]];
    // It has been put off, and whoever commands it now has the last word.
    const [next, effects] = stepCommand({ phase: 'inactive' }, event, rules);
    return [next, [{ do: 'stop-waiting' }, ...effects]];
  }
  if (rules.mode === 'impulse') return stepImpulse(output, event, rules);
  const { command } = event;
  if (command.action === 'pulse') return [output, [refused('not-an-impulse-output')]];
  const isActive = output.phase === 'active';
  const active = command.action === 'toggle' ? !isActive : command.state === 1;
  if (active === isActive) {
    if (rules.powerOn !== 'restore') return [output, [{ do: 'settle', outcome: 'already-set' }]];
    // I8: an earlier save may have failed.
    return [{ phase: 'saving-same', active }, [{ do: 'save', active }]];
  }
  if (active && isTooSoon(event, rules)) return [output, [refused('switched-too-soon')]];
  if (!active && rules.powerOn === 'restore') return [{ phase: 'saving-off' }, [{ do: 'save', active: false }]];
  return [switchingTo(active), [{ do: 'drive', active, command: true }]];
}

/** During a pulse nothing moves unless it is to be extended, and state 0 never moves anything: that is `executed` too. */
function stepImpulse(output: Output, event: CommandEvent, rules: OutputRules): Step {
  const { command } = event;
  const wantsPulse = command.action !== 'set' || command.state === 1;
  const isPulsing = output.phase === 'pulsing';
  if (!wantsPulse || (isPulsing && rules.retrigger === 'ignore')) {
    return [output, [{ do: 'settle', outcome: 'executed' }]];
  }
  const { pulseMs } = rules;
  const drive: OutputEffect = { do: 'drive', active: true, command: true, pulseMs };
  if (isPulsing) return [{ phase: 'extending', pulseMs, isOrdered: false, isOver: false }, [drive]];
  if (isTooSoon(event, rules)) return [output, [refused('switched-too-soon')]];
  return [{ phase: 'starting-pulse', pulseMs }, [drive]];
}

function isTooSoon({ sinceEdgeMs }: CommandEvent, { minSwitchIntervalMs }: OutputRules): boolean {
  return sinceEdgeMs < minSwitchIntervalMs;
}

/** I4: a pulse ends at its time, unless the board has been told by then that it is a longer one. */
function stepDue(output: Output): Step {
  switch (output.phase) {
    case 'pulsing':
      return release(1);
    case 'extending':
      return output.isOrdered ? [{ ...output, isOver: true }, []] : release(1, [{ do: 'postpone' }]);
    case 'stuck':
      return releaseAfter(output);
    case 'waiting':
      return output.until === 'next-try' ? [{ ...output, until: 'board-back' }, [{ do: 'put-back' }]] : [output, []];
    default:
      return [output, []];
  }
}

/**
 * Off, although nobody commands it. Of a command that was about to switch off by itself nothing has come: it is refused.
 * Where the board was told already, its answer comes within a second, and a failure releases too.
 */
function stepLimit(output: Output, rules: OutputRules): Step {
  // No disk delays this edge; a power cut must not bring "on" back all the same.
  const forget: OutputEffect[] = rules.powerOn === 'restore' ? [{ do: 'save', active: false }] : [];
  switch (output.phase) {
    case 'waiting':
      if (!output.active) return [output, []];
      // I4: a relay of the guard before may be closed.
      if (output.until === 'interlock-cleared') return release(null, forget);
      if (output.until === 'next-try') return [{ phase: 'inactive' }, [{ do: 'stop-waiting' }, ...forget]];
      return [{ ...output, active: false }, forget];
    case 'releasing':
    case 'stuck':
      return isComing(output) ? [staysOff(output), forget] : [output, []];
    case 'active':
      return release(1, forget);
    case 'saving-on':
      return release(1, [...forget, done('executed', false)]);
    case 'saving-off':
      return release(1, [...forget, refused('policy-off')]);
    case 'saving-same':
      return output.active ? release(1, [...forget, refused('policy-off')]) : [output, []];
    case 'switching':
      return output.wasActive && !output.isOrdered ? release(1, [...forget, refused('policy-off')]) : [output, []];
    default:
      return [output, []];
  }
}

type DriveEvent = Extract<OutputEvent, { kind: 'driven' | 'drive-failed' | 'not-driven' }>;

function stepDriven(output: Output, event: DriveEvent, rules: OutputRules): Step {
  switch (output.phase) {
    case 'switching':
      return stepSwitched(output, event, rules);
    case 'starting-pulse': {
      if (event.kind === 'not-driven') return [{ phase: 'inactive' }, [notDriven(event)]];
      if (!hasWorked(event, true)) return release(null, failure(output, rules));
      return pulseFrom(event.atMs, output.pulseMs);
    }
    case 'extending':
      return stepExtended(output, event, rules);
    case 'releasing': {
      const { failures } = output;
      if (!hasWorked(event, false))
        return [
          { phase: 'stuck', ...(failures === undefined ? {} : { failures }) },
          [{ do: 'wait', delayMs: RELEASE_RETRY_MS }],
        ];
      if (failures === undefined) return [{ phase: 'inactive' }, []];
      const wait: OutputEffect = { do: 'wait', delayMs: RESTORE_RETRY_MS };
      return [{ phase: 'waiting', active: true, until: 'next-try', failures }, [wait]];
    }
    default:
      return [output, []];
  }
}

/** Not extended, the pulse ends when it would have ended; a board that failed ends it now. */
function stepExtended(output: Extract<Output, { phase: 'extending' }>, event: DriveEvent, rules: OutputRules): Step {
  if (event.kind === 'not-driven') {
    return output.isOver ? release(1, [notDriven(event)]) : [{ phase: 'pulsing' }, [notDriven(event)]];
  }
  if (!hasWorked(event, true)) return release(null, [{ do: 'stop-waiting' }, ...failure(output, rules)]);
  return pulseFrom(event.atMs, output.pulseMs);
}

/** I4: the end is counted from the edge, or from the order that made the pulse longer. */
function pulseFrom(sinceMs: number, pulseMs: number): Step {
  return [
    { phase: 'pulsing' },
    [
      { do: 'wait', delayMs: pulseMs, sinceMs },
      { do: 'settle', outcome: 'executed' },
    ],
  ];
}

function stepSwitched(output: Extract<Output, { phase: 'switching' }>, event: DriveEvent, rules: OutputRules): Step {
  const { active, wasActive, isDurable } = output;
  if (event.kind === 'not-driven') {
    if (!wasActive) return [{ phase: 'inactive' }, [notDriven(event)]];
    // "Off" was saved for an edge that did not come.
    const takeBack: OutputEffect[] = rules.powerOn === 'restore' ? [{ do: 'save', active: true }] : [];
    return [{ phase: 'active' }, [...takeBack, notDriven(event)]];
  }
  if (!hasWorked(event, active)) {
    // I5: one frame that fails must not take from the disk what is to be restored.
    if (output.isPolicy && rules.powerOn === 'restore') {
      const [next, effects] = releaseAfter({ failures: failuresOf(output) + 1 });
      return [next, [refused('board-failed'), ...effects]];
    }
    return release(null, failure(output, rules));
  }
  if (active && rules.powerOn === 'restore') return [{ phase: 'saving-on' }, [{ do: 'save', active: true }]];
  return [{ phase: active ? 'active' : 'inactive' }, [done('executed', isDurable)]];
}

function stepSaved(output: Output, kind: 'saved' | 'save-failed'): Step {
  const isDurable = kind === 'saved';
  switch (output.phase) {
    case 'saving-off':
      // Off is the safe side, so a full disk does not prevent it; but nobody is told that it would outlast a power cut.
      return [switchingTo(false, isDurable), [{ do: 'drive', active: false, command: true }]];
    case 'saving-on':
      return [{ phase: 'active' }, [done('executed', isDurable)]];
    case 'saving-same':
      return [{ phase: output.active ? 'active' : 'inactive' }, [done('already-set', isDurable)]];
    default:
      return [output, []];
  }
}

function switchingTo(active: boolean, isDurable = true): Extract<Output, { phase: 'switching' }> {
  return { phase: 'switching', active, wasActive: !active, isDurable, isOrdered: false, isPolicy: false };
}

/** Towards inactive, after `before`. */
function release(state: OutputState | null, before: OutputEffect[] = []): Step {
  return [{ phase: 'releasing', state }, [...before, { do: 'drive', active: false, command: false }]];
}

/** The same; after a policy that the board did not follow it is tried again, but not for ever. */
function releaseAfter({ failures }: { failures?: number }): Step {
  const [, effects] = release(null);
  const isTriedAgain = failures !== undefined && failures < RESTORE_TRIES;
  return [{ phase: 'releasing', state: null, ...(isTriedAgain ? { failures } : {}) }, effects];
}

function isAtRest({ phase }: Output): boolean {
  return phase === 'inactive' || phase === 'releasing' || phase === 'stuck';
}

/** The board did not do it: the command is refused, and a power cut must not bring "on" back. */
function failure(output: Output, rules: OutputRules): OutputEffect[] {
  const effects: OutputEffect[] = [];
  if (rules.powerOn === 'restore') effects.push({ do: 'save', active: false });
  if (hasCommand(output)) effects.push(refused('board-failed'));
  return effects;
}

/** The edge is out, or comes with the release; whether a power cut undoes it nobody knows. */
function interrupted(output: Output): OutputEffect[] {
  return hasCommand(output) ? [done('executed', false)] : [];
}

function hasWorked(event: DriveEvent, active: boolean): event is Extract<DriveEvent, { kind: 'driven' }> {
  return event.kind === 'driven' && (event.active === null || event.active === active);
}

function notDriven({ outcome, reason }: Extract<DriveEvent, { kind: 'not-driven' }>): OutputEffect {
  return { do: 'settle', outcome, ...(reason === undefined ? {} : { reason }) };
}

function done(outcome: 'executed' | 'already-set', isDurable: boolean): OutputEffect {
  return isDurable ? { do: 'settle', outcome } : { do: 'settle', outcome: 'unproven', reason: 'state-not-saved' };
}

function refused(reason: DeviceReason): OutputEffect {
  return { do: 'settle', outcome: 'refused', reason };
}
