/**
 * One output as a pure state machine: what happens to it comes in as events, what must be done goes out as effects.
 * `RunningOutput` feeds it one command at a time and carries the effects out.
 *
 * I4: the end of a pulse is timed from its leading edge and tried until the board has done it. I5: an output set to
 * `restore` saves "off" before its edge and "on" after it, and its answer waits for both; I8: so does the answer that
 * it is so already. Failures end inactive.
 */
import {
  deferredOf,
  failuresOf,
  hasCommand,
  isSettled,
  isTurningOn,
  pulseSinceOf,
  stateOf,
  staysOff,
  uncommandedOf,
} from './output-phase';
import {
  type DriveEvent,
  done,
  failure,
  hasWorked,
  interrupted,
  isAtRest,
  movedNothing,
  notDriven,
  refused,
  release,
  releaseAfter,
  type Step,
  stopped,
  switchingTo,
  unwanted,
  waitForNextTry,
} from './output-steps';
import type { Output, OutputEffect, OutputEvent, OutputRules } from './output-types';

/** A relay that cannot be switched off is tried again this often: stuck closed is the worst failure. */
export const RELEASE_RETRY_MS = 100;
/** A pulse runs already, and nothing moves. */
const IGNORED: OutputEffect = { do: 'settle', outcome: 'executed', ignored: true };

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
    case 'stop':
      return stepStop(output, event.sinceMs);
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
    case 'seen':
    case 'not-seen':
      return stepSeen(output, event, rules);
    case 'ordered':
      return [ordered(output), []];
    case 'limit':
      return stepLimit(output, rules);
    case 'unwanted':
      return unwanted(output);
    case 'due':
      return stepDue(output);
    default:
      return event satisfies never;
  }
}

function ordered(output: Output): Output {
  if (output.phase === 'extending') return { ...output, isOrdered: true };
  if (output.phase !== 'switching') return output;
  const { deferred, ...others } = output;
  return { ...others, isOrdered: true };
}

/** Only the pulse that is meant: what comes late must not end the next one. */
function stepStop(output: Output, sinceMs: number): Step {
  if (pulseSinceOf(output) !== sinceMs) return [output, []];
  return release(1, [{ do: 'stop-waiting' }, ...stopped(output)]);
}

/** What is to be restored comes back as it durably was; I4, I5: nothing else does, above all no pulse. */
function stepBoardLost(output: Output, rules: OutputRules): Step {
  // The power-on policy has yet to speak.
  if (output.phase === 'unknown') return [output, []];
  const isSame = output.phase === 'saving-same' || output.phase === 'looking';
  const wasOn = (output.phase === 'active' || (isSame && output.active)) && !uncommandedOf(output).isOnUncommanded;
  const isRestored = wasOn && rules.mode === 'on-off' && rules.powerOn === 'restore';
  const active = isTurningOn(output) || deferredOf(output) !== null || isRestored;
  const answer = active ? [refused('board-failed')] : failure(output, rules);
  const effects: OutputEffect[] = [{ do: 'stop-waiting' }, ...(hasCommand(output) ? answer : [])];
  return [{ phase: 'waiting', active, until: 'board-back' }, effects];
}

type CommandEvent = Extract<OutputEvent, { kind: 'command' }>;
type SeenEvent = Extract<OutputEvent, { kind: 'seen' | 'not-seen' }>;

function stepCommand(output: Output, event: CommandEvent, rules: OutputRules): Step {
  if (!isSettled(output)) throw new Error(`a command came while the output was ${output.phase}`);
  if (output.phase === 'stuck') return [output, [refused('board-failed')]];
  if (output.phase === 'waiting') {
    if (output.until !== 'next-try') return [output, [refused('board-away')]];
    // It has been put off, and whoever commands it now has the last word, unless the command is refused.
    const [next, effects] = stepCommand({ phase: 'inactive' }, event, rules);
    if (effects.every((effect) => effect.do === 'settle' && effect.outcome === 'refused')) return [output, effects];
    const deferred = next.phase === 'switching' || next.phase === 'looking' ? { deferred: failuresOf(output) } : {};
    return [{ ...next, ...deferred }, [{ do: 'stop-waiting' }, ...effects]];
  }
  if (rules.mode === 'impulse') return stepImpulse(output, event, rules);
  const { command } = event;
  if (command.action === 'pulse') return [output, [refused('not-an-impulse-output')]];
  const isActive = output.phase === 'active';
  const active = command.action === 'toggle' ? !isActive : command.state === 1;
  if (active && !isActive) return switchedOn(event, rules);
  if (!active && isActive) return switchedOff(uncommandedOf(output), rules);
  if (event.canLook) return [{ phase: 'looking', active, ...uncommandedOf(output) }, [{ do: 'look' }]];
  return sameAs(active, rules);
}

function switchedOn(event: { sinceEdgeMs: number }, rules: OutputRules): Step {
  if (isTooSoon(event, rules)) return [{ phase: 'inactive' }, [refused('switched-too-soon')]];
  return [switchingTo(true), [{ do: 'drive', active: true, command: true }]];
}

function switchedOff(found: { isOnUncommanded?: true }, { powerOn }: OutputRules): Step {
  if (powerOn === 'restore') return [{ phase: 'saving-off', ...found }, [{ do: 'save', active: false }]];
  return [{ ...switchingTo(false), ...found }, [{ do: 'drive', active: false, command: true }]];
}

function sameAs(active: boolean, rules: OutputRules): Step {
  if (rules.powerOn !== 'restore') return [settledAt(active), [{ do: 'settle', outcome: 'already-set' }]];
  // I8: an earlier save may have failed.
  return [{ phase: 'saving-same', active }, [{ do: 'save', active }]];
}

/** I3: a relay whose board has lost its own supply is not "set already". It is switched as ordered. */
function stepSeen(output: Output, event: SeenEvent, rules: OutputRules): Step {
  if (output.phase === 'looking-at-pulse') return stepSeenPulse(output, event);
  if (output.phase !== 'looking') return [output, []];
  const { active } = output;
  if (event.kind === 'not-seen') return movedNothing(output, asBeforeLook(output), [refused('board-failed')]);
  if (event.active === null || event.active === active) return sameAs(active, rules);
  if (!active) return switchedOff({ isOnUncommanded: true }, rules);
  const [next, effects] = switchedOn(event, rules);
  // Until its edge is out a power cut must find it as it is.
  const forget: OutputEffect[] = rules.powerOn === 'restore' ? [{ do: 'save', active: false }] : [];
  return [next, [...forget, ...effects]];
}

/** What has fallen is no pulse any more. I4: it is put off, in case the board was wrong, and the command begins its own. */
function stepSeenPulse({ sinceMs }: { sinceMs: number }, event: SeenEvent): Step {
  const running: Output = { phase: 'pulsing', sinceMs };
  if (event.kind === 'not-seen') return [running, [refused('board-failed')]];
  if (event.active === false) return release(0, [{ do: 'stop-waiting' }, { do: 'postpone' }]);
  return [running, [IGNORED]];
}

function asBeforeLook(output: Extract<Output, { phase: 'looking' }>): Output {
  return output.active ? { phase: 'active', ...uncommandedOf(output) } : { phase: 'inactive' };
}

function settledAt(active: boolean): Output {
  return { phase: active ? 'active' : 'inactive' };
}

/** During a pulse nothing moves unless it is to be extended, and state 0 never moves anything: that is `executed` too. */
function stepImpulse(output: Output, event: CommandEvent, rules: OutputRules): Step {
  const { command } = event;
  const wantsPulse = command.action !== 'set' || command.state === 1;
  if (!wantsPulse) return [output, [{ do: 'settle', outcome: 'executed' }]];
  const sinceMs = pulseSinceOf(output);
  if (sinceMs !== null && rules.retrigger === 'ignore')
    return event.canLook ? [{ phase: 'looking-at-pulse', sinceMs }, [{ do: 'look' }]] : [output, [IGNORED]];
  const { pulseMs } = rules;
  const drive: OutputEffect = { do: 'drive', active: true, command: true, pulseMs };
  if (sinceMs !== null) return [{ phase: 'extending', pulseMs, sinceMs, isOrdered: false, isOver: false }, [drive]];
  if (isTooSoon(event, rules)) return [output, [refused('switched-too-soon')]];
  return [{ phase: 'starting-pulse', pulseMs }, [drive]];
}

function isTooSoon({ sinceEdgeMs }: { sinceEdgeMs: number }, { minSwitchIntervalMs }: OutputRules): boolean {
  return sinceEdgeMs < minSwitchIntervalMs;
}

/** I4: a pulse ends at its time, unless the board has its order by then that it is a longer one. */
function stepDue(output: Output): Step {
  switch (output.phase) {
    case 'pulsing':
      return release(1);
    case 'looking-at-pulse':
      return release(1, [{ do: 'postpone' }]);
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
 * Where the board has its order already, its answer comes within a second, and a failure releases too.
 */
function stepLimit(output: Output, rules: OutputRules): Step {
  // No disk delays this edge; a power cut must not bring "on" back all the same.
  const forget: OutputEffect[] = rules.powerOn === 'restore' ? [{ do: 'save', active: false }] : [];
  switch (output.phase) {
    case 'waiting':
    case 'releasing':
    case 'stuck': {
      if (!isTurningOn(output)) return [output, []];
      const [next, effects] = unwanted(output);
      return [next, [...forget, ...effects]];
    }
    case 'active':
      return release(1, forget);
    case 'saving-on':
      return release(1, [...forget, done('executed', false)]);
    case 'saving-off':
      return release(1, [...forget, refused('policy-off')]);
    case 'saving-same':
    case 'looking':
      return output.active ? release(1, [...forget, refused('policy-off')]) : noMoreTries(output, forget);
    case 'switching':
      return output.wasActive && !output.isOrdered
        ? release(1, [...forget, refused('policy-off')])
        : noMoreTries(output, forget);
    default:
      return [output, []];
  }
}

/** Of what had waited for its next try when the command came, the time is up too. */
function noMoreTries(output: Output, forget: OutputEffect[]): Step {
  return deferredOf(output) === null ? [output, []] : [staysOff(output), forget];
}

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
    case 'looking':
      return event.kind === 'not-driven'
        ? movedNothing(output, asBeforeLook(output), [notDriven(event)])
        : [output, []];
    case 'looking-at-pulse': {
      const { sinceMs } = output;
      return event.kind === 'not-driven' ? [{ phase: 'pulsing', sinceMs }, [notDriven(event)]] : [output, []];
    }
    case 'releasing': {
      const { failures } = output;
      if (!hasWorked(event, false)) {
        // I4: counted from the board's answer, so that a guard that hung since then tries again at once.
        const since = event.kind === 'not-driven' ? {} : { sinceMs: event.atMs };
        const stuck: Output = { phase: 'stuck', ...(failures === undefined ? {} : { failures }) };
        return [stuck, [{ do: 'wait', delayMs: RELEASE_RETRY_MS, ...since }]];
      }
      return failures === undefined ? [{ phase: 'inactive' }, []] : waitForNextTry(failures);
    }
    default:
      return [output, []];
  }
}

/** Not extended, the pulse ends when it would have ended; a board that failed ends it now. */
function stepExtended(output: Extract<Output, { phase: 'extending' }>, event: DriveEvent, rules: OutputRules): Step {
  if (event.kind === 'not-driven') {
    const { isOver, sinceMs } = output;
    return isOver ? release(1, [notDriven(event)]) : [{ phase: 'pulsing', sinceMs }, [notDriven(event)]];
  }
  if (!hasWorked(event, true)) return release(null, [{ do: 'stop-waiting' }, ...failure(output, rules)]);
  return pulseFrom(event.atMs, output.pulseMs, output.sinceMs);
}

/** I4: the end is counted from the edge, or from the order that made the pulse longer. */
function pulseFrom(atMs: number, pulseMs: number, sinceMs = atMs): Step {
  return [
    { phase: 'pulsing', sinceMs },
    [
      { do: 'wait', delayMs: pulseMs, sinceMs: atMs },
      { do: 'settle', outcome: 'executed' },
    ],
  ];
}

function stepSwitched(output: Extract<Output, { phase: 'switching' }>, event: DriveEvent, rules: OutputRules): Step {
  const { active, wasActive, isDurable } = output;
  if (event.kind === 'not-driven') {
    if (!wasActive) return movedNothing(output, { phase: 'inactive' }, [notDriven(event)]);
    // "Off" was saved for an edge that did not come.
    const wasSaved = rules.powerOn === 'restore' && !uncommandedOf(output).isOnUncommanded;
    const takeBack: OutputEffect[] = wasSaved ? [{ do: 'save', active: true }] : [];
    return [{ phase: 'active', ...uncommandedOf(output) }, [...takeBack, notDriven(event)]];
  }
  if (!hasWorked(event, active)) {
    // I5: one frame that fails must not take from the disk what is to be restored.
    if (isTurningOn(output) && rules.powerOn === 'restore') {
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
      // Off is the safe side, so a full disk does not prevent it; but nobody hears that it would outlast a power cut.
      return [
        { ...switchingTo(false, isDurable), ...uncommandedOf(output) },
        [{ do: 'drive', active: false, command: true }],
      ];
    case 'saving-on':
      return [{ phase: 'active' }, [done('executed', isDurable)]];
    case 'saving-same':
      return [settledAt(output.active), [done('already-set', isDurable)]];
    default:
      return [output, []];
  }
}
